import { Radio, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { RoomType } from '../../../contract/rooms.ts'

export type FlagName = 'isPublic' | 'isChatAllowed' | 'isScreensharingAllowed' | 'isFloorAllowed'

const flags: { name: FlagName; isOnAtFirst: boolean; onlyFor?: RoomType }[] = [
  { name: 'isPublic', isOnAtFirst: false },
  { name: 'isChatAllowed', isOnAtFirst: true },
  { name: 'isScreensharingAllowed', isOnAtFirst: true },
  { name: 'isFloorAllowed', isOnAtFirst: false, onlyFor: 'webinar' },
]

/** The switches that mean something in a room of this type, as a new room has them. */
export const flagsOf = (type: RoomType) => flags.filter(({ onlyFor }) => onlyFor === undefined || onlyFor === type)

interface RoomTypeChoiceProps {
  value: RoomType
  onChange: (type: RoomType) => void
  disabled?: boolean
}

export const RoomTypeChoice = ({ value, onChange, disabled }: RoomTypeChoiceProps) => {
  const { t } = useTranslation()
  return (
    <Radio.Group label={t('rooms.type')} value={value} onChange={type => onChange(type as RoomType)}>
      <Stack gap="xs" mt={4}>
        {(['lesson', 'webinar'] as const).map(type => (
          <Radio
            key={type}
            value={type}
            label={t(`rooms.type.${type}`)}
            description={t(`rooms.type.${type}.text`)}
            disabled={disabled}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
