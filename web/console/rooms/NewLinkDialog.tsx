import { Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { GuestRole } from '../../../contract/links.ts'
import { entriesOf } from '../../ui/entries.ts'
import { createLink } from '../data/links.ts'
import type { Room } from '../data/rooms.ts'
import { Choices } from '../ui/Choices.tsx'
import { Form, textOf } from '../ui/Form.tsx'
import { LinkDialog } from '../ui/LinkDialog.tsx'

const HOUR = 3600
const DAY = 24 * HOUR
const lifetimes = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY }

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
  const send = async (fields: FormData) => {
    const username = textOf(fields, 'username')
    const externalUserId = textOf(fields, 'externalUserId')
    const lifetime = textOf(fields, 'ttl') as keyof typeof lifetimes | undefined
    const url = await createLink(room, {
      role: fields.get('role') as GuestRole,
      isPermanent: fields.get('use') === 'many',
      ttl: lifetimes[lifetime ?? 'day'],
      ...(username !== undefined && { username }),
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
            error={errorAt('username')}
          />
          <Choices
            name="role"
            label={t('role')}
            values={['user', 'moderator']}
            keyOf={value => `guestRole.${value}`}
            defaultValue="user"
          />
          <Choices
            name="use"
            label={t('links.use')}
            values={['many', 'once']}
            keyOf={value => `links.${value}`}
            defaultValue="many"
          />
          <Select
            name="ttl"
            label={t('links.lifetime')}
            defaultValue="day"
            allowDeselect={false}
            data={entriesOf(lifetimes).map(([value]) => ({ value, label: t(`links.lifetime.${value}`) }))}
            error={errorAt('ttl')}
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
