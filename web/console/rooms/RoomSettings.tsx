import { Stack, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type Room, updateRoom, useRoomSwitch } from '../data/rooms.ts'
import { Choices } from '../ui/Choices.tsx'
import { Form, requiredText } from '../ui/Form.tsx'
import { tell } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'
import { Switch } from '../ui/Switch.tsx'
import { flagsOf, roomTypes } from './flags.ts'

/** The switches apply immediately, also to people in the call. */
export const RoomSettings = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const change = useRoomSwitch(room)
  const rename = async (fields: FormData) => {
    await updateRoom(room, { name: requiredText(fields, 'name') })
    tell(t('saved'))
  }
  return (
    <Section title={t('nav.settings')} description={t('room.settings.text')}>
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
        <Form key={room.name} submitLabel={t('room.rename')} send={rename} isAside>
          {errorAt => (
            <TextInput
              name="name"
              label={t('name')}
              defaultValue={room.name}
              required
              withAsterisk={false}
              maxLength={200}
              error={errorAt('name')}
            />
          )}
        </Form>
      </Stack>
    </Section>
  )
}
