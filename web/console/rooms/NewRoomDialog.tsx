import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { RoomType } from '../../../contract/rooms.ts'
import { createRoom } from '../data/rooms.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Choices } from '../ui/Choices.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, requiredText } from '../ui/Form.tsx'
import { Switch } from '../ui/Switch.tsx'
import { flagsOf, roomTypes } from './flags.ts'

export const NewRoomDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={onClose} title={t('rooms.create')}>
      <NewRoomForm onCancel={onClose} />
    </Dialog>
  )
}

const NewRoomForm = ({ onCancel }: { onCancel: () => void }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const navigate = useNavigate()
  const [type, setType] = useState<RoomType>('lesson')
  const flags = flagsOf(type)
  const send = async (fields: FormData) => {
    const { alias } = await createRoom(space.id, {
      name: requiredText(fields, 'name'),
      type,
      ...Object.fromEntries(flags.map(({ name }) => [name, fields.has(name)])),
    })
    await navigate(`/spaces/${space.id}/rooms/${alias}`)
  }
  return (
    <Form submitLabel={t('rooms.create.submit')} send={send} onCancel={onCancel}>
      {errorAt => (
        <>
          <TextInput
            name="name"
            label={t('name')}
            placeholder={t('rooms.name.example')}
            required
            maxLength={200}
            data-autofocus
            error={errorAt('name')}
          />
          <Choices
            label={t('rooms.type')}
            values={roomTypes}
            keyOf={value => `rooms.type.${value}`}
            value={type}
            onChange={setType}
          />
          <Stack gap="sm">
            {flags.map(({ name, isOnAtFirst }) => (
              <Switch
                key={name}
                name={name}
                label={t(`rooms.${name}`)}
                description={t(`rooms.${name}.text`)}
                defaultChecked={isOnAtFirst}
              />
            ))}
          </Stack>
        </>
      )}
    </Form>
  )
}
