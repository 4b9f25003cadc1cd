import { Button, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyId } from '../../ui/CopyId.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { createClient, deleteClient, useClients } from '../data/clients.ts'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Form, requiredText } from '../ui/Form.tsx'
import { Page } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { SecretOnce } from '../ui/SecretOnce.tsx'

export const ClientsPage = () => {
  const { t } = useTranslation()
  const clients = useClients()
  const [isCreating, { open, close }] = useDisclosure()
  const [created, setCreated] = useState<{ clientId: string; clientSecret: string } | null>(null)
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {t('clients.create')}
    </Button>
  )
  const send = async (fields: FormData) => {
    setCreated(await createClient(requiredText(fields, 'name')))
    close()
  }
  const hasClients = (clients.data?.length ?? 0) > 0
  return (
    <Page title={t('clients.title')} description={t('clients.text')} actions={hasClients && create}>
      <PagedRecords
        label={t('clients.title')}
        pages={clients}
        idOf={client => client.clientId}
        empty={<Empty icon={IconKey} title={t('clients.empty.title')} text={t('clients.empty.text')} action={create} />}
        columns={[
          { head: t('name'), isName: true, cell: client => client.name },
          { head: t('clients.id'), cell: client => <CopyId value={client.clientId} /> },
          { head: t('created'), cell: client => <RelativeTime time={client.createdAt} /> },
          {
            head: t('actions'),
            isActions: true,
            cell: client => (
              <ConfirmButton
                label={t('delete')}
                ariaLabel={t('delete.named', { name: client.name })}
                title={t('delete.title', { name: client.name })}
                text={t('clients.delete.text')}
                confirmLabel={t('delete')}
                onConfirm={() => deleteClient(client.clientId)}
              />
            ),
          },
        ]}
      />
      <Dialog opened={isCreating} onClose={close} title={t('clients.create')}>
        <Form submitLabel={t('clients.create.submit')} send={send} onCancel={close}>
          {errorAt => (
            <TextInput
              name="name"
              label={t('name')}
              description={t('clients.name.text')}
              placeholder={t('clients.name.example')}
              required
              maxLength={200}
              data-autofocus
              error={errorAt('name')}
            />
          )}
        </Form>
      </Dialog>
      <SecretOnce
        title={t('clients.ready')}
        text={t('clients.ready.text')}
        fields={
          created && [
            { label: t('clients.id'), value: created.clientId },
            { label: t('clients.secret'), value: created.clientSecret },
          ]
        }
        onClose={() => setCreated(null)}
      />
    </Page>
  )
}
