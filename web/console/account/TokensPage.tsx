import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { scopes as allScopes } from '../../../contract/scopes.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { deleteToken, useTokens } from '../data/tokens.ts'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Page } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { SecretOnce } from '../ui/SecretOnce.tsx'
import { StateMark } from '../ui/StateMark.tsx'
import { NewTokenDialog } from './NewTokenDialog.tsx'

export const TokensPage = () => {
  const { t } = useTranslation()
  const tokens = useTokens()
  const [isCreating, { open, close }] = useDisclosure()
  const [created, setCreated] = useState<string | null>(null)
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {t('tokens.create')}
    </Button>
  )
  const hasTokens = (tokens.data?.length ?? 0) > 0
  return (
    <Page title={t('tokens.title')} description={t('tokens.text')} actions={hasTokens && create}>
      <PagedRecords
        label={t('tokens.title')}
        pages={tokens}
        idOf={token => token.id}
        empty={
          <Empty icon={IconTerminal2} title={t('tokens.empty.title')} text={t('tokens.empty.text')} action={create} />
        }
        columns={[
          { head: t('name'), isName: true, cell: token => token.name },
          { head: t('tokens.scopes'), cell: token => <Scopes scopes={token.scopes} /> },
          {
            head: t('tokens.lastUsed'),
            cell: ({ lastUsedAt }) =>
              lastUsedAt === null ? t('tokens.lastUsed.never') : <RelativeTime time={lastUsedAt} />,
          },
          { head: t('tokens.expires'), cell: token => <Expiry time={token.expiresAt} /> },
          {
            head: t('actions'),
            isActions: true,
            cell: ({ id, name }) => (
              <ConfirmButton
                label={t('delete')}
                ariaLabel={t('delete.named', { name })}
                title={t('delete.title', { name })}
                text={t('tokens.delete.text')}
                confirmLabel={t('delete')}
                onConfirm={() => deleteToken(id)}
              />
            ),
          },
        ]}
      />
      <NewTokenDialog
        opened={isCreating}
        onClose={close}
        onCreated={token => {
          setCreated(token)
          close()
        }}
      />
      <SecretOnce
        title={t('tokens.ready')}
        text={t('tokens.ready.text')}
        fields={created === null ? null : [{ label: t('tokens.token'), value: created }]}
        onClose={() => setCreated(null)}
      />
    </Page>
  )
}

/** By their names in the API, which is where they are met again. */
const Scopes = ({ scopes }: { scopes: string[] }) => {
  const { t } = useTranslation()
  if (scopes.length === allScopes.length) return t('tokens.scopes.all')
  return (
    <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
      {scopes.join(', ')}
    </Text>
  )
}

const Expiry = ({ time }: { time: string | null }) => {
  const { t } = useTranslation()
  if (time === null) return t('tokens.expires.never')
  if (Date.parse(time) <= Date.now()) return <StateMark tone="bad">{t('tokens.expired')}</StateMark>
  return <RelativeTime time={time} />
}
