import { Badge, Button, Checkbox, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyAction } from '../../ui/CopyAction.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { deleteUser, resetPassword, useUsers } from '../data/operator.ts'
import { type Me, useMe } from '../data/session.ts'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { NothingFound } from '../ui/NothingFound.tsx'
import { Page } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { SearchBox, useSearch } from '../ui/SearchBox.tsx'
import { SecretOnce } from '../ui/SecretOnce.tsx'
import { NewUserDialog } from './NewUserDialog.tsx'
import { OperatorOnly } from './OperatorOnly.tsx'
import { newPassword } from './password.ts'

export const UsersPage = () => (
  <OperatorOnly>
    <Users />
  </OperatorOnly>
)

/** A password that has just been set, and for whom. */
interface Credentials {
  username: string
  password: string
}

const Users = () => {
  const { t } = useTranslation()
  const me = useMe()
  const q = useSearch()
  const [isCreating, { open, close }] = useDisclosure()
  const [credentials, setCredentials] = useState<Credentials | null>(null)
  const reset = async ({ id, username }: Me, fields: FormData) => {
    const password = newPassword()
    await resetPassword(id, password, fields.has('endClients'))
    setCredentials({ username, password })
  }
  const actionsFor = (user: Me) => (
    <>
      <CopyAction label={t('userId.of', { name: user.username })} value={user.id} variant="subtle" />
      {user.id !== me.id && (
        <>
          <ConfirmButton
            label={t('users.reset')}
            ariaLabel={t('users.reset.named', { name: user.username })}
            title={t('users.reset.title', { name: user.username })}
            text={t('users.reset.text')}
            fields={
              <Checkbox
                name="endClients"
                label={t('users.reset.endClients')}
                description={t('users.reset.endClients.text')}
              />
            }
            confirmLabel={t('users.reset')}
            onConfirm={fields => reset(user, fields)}
          />
          <ConfirmButton
            label={t('delete')}
            ariaLabel={t('delete.named', { name: user.username })}
            title={t('delete.title', { name: user.username })}
            text={t('users.delete.text')}
            confirmLabel={t('delete')}
            onConfirm={() => deleteUser(user.id)}
          />
        </>
      )}
    </>
  )
  return (
    <Page
      title={t('users.title')}
      description={t('users.text')}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          {t('users.create')}
        </Button>
      }
    >
      <SearchBox label={t('users.search')} />
      <PagedRecords
        label={t('users.title')}
        pages={useUsers(q)}
        idOf={user => user.id}
        empty={<NothingFound q={q} />}
        columns={[
          {
            head: t('person'),
            isName: true,
            cell: user => (
              <div>
                {user.displayName}{' '}
                {user.isOperator && (
                  <Badge variant="light" tt="none">
                    {t('users.operator')}
                  </Badge>
                )}
                <Text size="xs" c="dimmed">
                  {user.displayName === user.username ? user.email : `${user.username} · ${user.email}`}
                </Text>
              </div>
            ),
          },
          { head: t('created'), cell: user => <RelativeTime time={user.createdAt} /> },
          { head: t('actions'), isActions: true, cell: actionsFor },
        ]}
      />
      <NewUserDialog opened={isCreating} onClose={close} onCreated={setCredentials} />
      <SecretOnce
        title={t('users.credentials')}
        text={t('users.credentials.text')}
        fields={
          credentials && [
            { label: t('username'), value: credentials.username },
            { label: t('password'), value: credentials.password },
          ]
        }
        onClose={() => setCredentials(null)}
      />
    </Page>
  )
}
