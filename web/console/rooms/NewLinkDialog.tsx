import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestRole } from '../../../contract/links.ts'
import { createLink } from '../data/links.ts'
import type { Room } from '../data/rooms.ts'
import { Choices } from '../ui/Choices.tsx'
import { Form, textOf } from '../ui/Form.tsx'
import { LinkDialog } from '../ui/LinkDialog.tsx'
import { LifetimeField } from './LifetimeField.tsx'
import { type Lifetime, lifetimes } from './lifetimes.ts'

interface NewLinkDialogProps {
  room: Room
  opened: boolean
  onClose: () => void
}

export const NewLinkDialog = ({ room, ...dialog }: NewLinkDialogProps) => (
  <LinkDialog texts="links" {...dialog}>
    {onCreated => <NewLinkForm room={room} onCreated={onCreated} onCancel={dialog.onClose} />}
  </LinkDialog>
)

interface NewLinkFormProps {
  room: Room
  onCreated: (url: string) => void
  onCancel: () => void
}

const NewLinkForm = ({ room, onCreated, onCancel }: NewLinkFormProps) => {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  const [chosenUse, setUse] = useState<'once' | 'many' | null>(null)
  // A name is one person's, unless the maker of the link says otherwise.
  const use = chosenUse ?? (name.trim() === '' ? 'many' : 'once')
  const send = async (fields: FormData) => {
    const username = textOf(fields, 'username')
    const label = textOf(fields, 'label')
    const externalUserId = textOf(fields, 'externalUserId')
    const url = await createLink(room, {
      role: fields.get('role') as GuestRole,
      isPermanent: use === 'many',
      ttl: lifetimes[(textOf(fields, 'ttl') ?? 'day') as Lifetime],
      ...(username !== undefined && { username }),
      ...(label !== undefined && { label }),
      ...(externalUserId !== undefined && { externalUserId }),
    })
    onCreated(url)
  }
  return (
    <Form submitLabel={t('links.create.submit')} send={send} onCancel={onCancel}>
      {errorAt => (
        <>
          <TextInput
            name="username"
            label={t('links.name')}
            description={t('links.name.text')}
            maxLength={200}
            data-autofocus
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={errorAt('username')}
          />
          <Choices
            label={t('links.use')}
            values={['many', 'once']}
            keyOf={value => `links.${value}`}
            value={use}
            onChange={setUse}
          />
          <Choices
            name="role"
            label={t('role')}
            values={['user', 'moderator']}
            keyOf={value => `guestRole.${value}`}
            defaultValue="user"
          />
          <LifetimeField defaultValue="day" error={errorAt('ttl')} />
          <TextInput
            name="label"
            label={t('links.label')}
            description={t('links.label.text')}
            placeholder={t('links.label.example')}
            maxLength={100}
            error={errorAt('label')}
          />
          <TextInput
            name="externalUserId"
            label={t('links.externalUserId')}
            description={t('links.externalUserId.text')}
            maxLength={128}
            error={errorAt('externalUserId')}
          />
        </>
      )}
    </Form>
  )
}
