import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WaitingRoomAudience } from '../../../../contract/rooms.ts'
import { useLive } from '../context.ts'
import { RoomSwitch } from './RoomSwitch.tsx'
import { useRoomChange } from './roomChange.ts'
import { Section } from './Section.tsx'

const audiences: WaitingRoomAudience[] = ['nobody', 'guests', 'everyone']

/** Who comes in. */
export const Access = () => {
  const { t } = useTranslation()
  const { room } = useLive()
  const { change, changing } = useRoomChange()
  return (
    <Section title={t('host.access')}>
      <RoomSwitch flag="isLocked" label={t('host.lock')} description={t('host.lock.text')} />
      <NativeSelect
        label={t('host.waitingRoom')}
        description={t('host.waitingRoom.text')}
        data={audiences.map(value => ({ value, label: t(`host.waitingRoom.${value}`) }))}
        value={changing?.waitingRoomAudience ?? room?.waitingRoomAudience ?? 'nobody'}
        disabled={!room}
        onChange={event => change({ waitingRoomAudience: event.currentTarget.value as WaitingRoomAudience })}
      />
    </Section>
  )
}
