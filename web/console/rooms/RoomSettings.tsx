import { Input, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type Room, useRoomSwitch } from '../data/rooms.ts'
import { Choices } from '../ui/Choices.tsx'
import { Section } from '../ui/Page.tsx'
import { Switch } from '../ui/Switch.tsx'
import { audiences, flagsOf, permissions, recordFlags, roomTypes } from './flags.ts'

/** The switches apply immediately, also to people in the call. */
export const RoomSettings = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const change = useRoomSwitch(room)
  return (
    <Section title={t('room.tab.permissions')} description={t('room.settings.text')}>
      <Stack gap="lg">
        <Choices
          label={t('rooms.type')}
          values={roomTypes}
          keyOf={value => `rooms.type.${value}`}
          value={room.type}
          onChange={type => change.mutate({ type })}
        />
        <Stack gap="sm">
          {flagsOf(room.type).map(({ name }) => (
            <Switch
              key={name}
              label={t(`rooms.${name}`)}
              description={t(`rooms.${name}.text`)}
              checked={room[name]}
              onChange={event => change.mutate({ [name]: event.currentTarget.checked })}
            />
          ))}
        </Stack>
        <Input.Wrapper
          label={t('rooms.permissions')}
          description={t('rooms.permissions.text')}
          role="group"
          aria-label={t('rooms.permissions')}
        >
          <Stack gap="sm" mt="xs">
            {permissions.map(name => (
              <Switch
                key={name}
                label={t(`rooms.${name}`)}
                checked={room[name]}
                onChange={event => change.mutate({ [name]: event.currentTarget.checked })}
              />
            ))}
          </Stack>
        </Input.Wrapper>
        <Choices
          label={t('rooms.waitingRoom')}
          values={audiences}
          keyOf={value => `rooms.waitingRoom.${value}`}
          value={room.waitingRoomAudience}
          onChange={waitingRoomAudience => change.mutate({ waitingRoomAudience })}
        />
        <Input.Wrapper label={t('rooms.recording')} role="group" aria-label={t('rooms.recording')}>
          <Stack gap="sm" mt="xs">
            {recordFlags.map(name => (
              <Switch
                key={name}
                label={t(`rooms.${name}`)}
                description={t(`rooms.${name}.text`)}
                checked={room[name] && room.isRecordAllowed}
                disabled={name !== 'isRecordAllowed' && !room.isRecordAllowed}
                onChange={event => change.mutate({ [name]: event.currentTarget.checked })}
              />
            ))}
          </Stack>
        </Input.Wrapper>
      </Stack>
    </Section>
  )
}
