import { Anchor, Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconListDetails, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { auditActions } from '../../../contract/actions.ts'
import type { AuditEntry } from '../../../contract/audit.ts'
import { CopyAction } from '../../ui/CopyAction.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { auditFile, useAudit } from '../data/audit.ts'
import { DayFields } from '../ui/DayFields.tsx'
import { DownloadButton } from '../ui/DownloadButton.tsx'
import { Empty } from '../ui/Empty.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { useAuditFilter } from './filter.ts'

/** The audit log of the space or, without one, of the whole server. */
export const AuditLog = ({ spaceId }: { spaceId?: string }) => {
  const { t } = useTranslation()
  const { filter, set } = useAuditFilter()
  const entries = useAudit(spaceId, filter)
  const isFiltered = Object.keys(filter).length > 0
  const space = {
    head: t('audit.space'),
    cell: (entry: AuditEntry) =>
      entry.spaceId === null ? '–' : <CopyAction label={t('space.id')} value={entry.spaceId} variant="subtle" />,
  }
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Group gap="sm" align="flex-end">
          <NativeSelect
            label={t('audit.filter.action')}
            size="xs"
            value={filter.action ?? ''}
            onChange={event => set('action', event.currentTarget.value)}
            data={[
              { value: '', label: t('audit.filter.action.all') },
              ...auditActions.map(action => ({ value: action, label: t(`audit.action.${action}`) })),
            ]}
          />
          <DayFields size="xs" />
          {filter.actorId !== undefined && (
            <Button
              size="xs"
              variant="light"
              rightSection={<IconX size={14} aria-hidden />}
              aria-label={t('audit.filter.everyone')}
              onClick={() => set('person', '')}
            >
              {entries.data?.[0]?.actor.name ?? t('audit.filter.one')}
            </Button>
          )}
        </Group>
        <DownloadButton href={auditFile(spaceId, filter)} label={t('audit.download')} refresh={entries.refetch} />
      </Group>
      <PagedRecords
        label={t('audit.title')}
        pages={entries}
        idOf={entry => entry.id}
        empty={
          <Empty
            icon={IconListDetails}
            title={t(isFiltered ? 'audit.none.title' : 'audit.empty.title')}
            text={t(isFiltered ? 'audit.none.text' : 'audit.empty.text')}
          />
        }
        columns={[
          { head: t('audit.what'), isName: true, cell: entry => t(`audit.action.${entry.action}`) },
          { head: t('audit.target'), cell: entry => <Target entry={entry} /> },
          { head: t('audit.who'), cell: entry => <Actor entry={entry} onChoose={id => set('person', id)} /> },
          {
            head: t('audit.address'),
            // One of IPv6 has no place to break.
            cell: ({ address }) => <div style={{ overflowWrap: 'anywhere', minWidth: '6rem' }}>{address ?? '–'}</div>,
          },
          {
            head: t('audit.time'),
            cell: ({ at }) => <RelativeTime time={at} />,
          },
          ...(spaceId === undefined ? [space] : []),
        ]}
      />
    </Stack>
  )
}

const Target = ({ entry: { target, details } }: { entry: AuditEntry }) => {
  const { t } = useTranslation()
  const { roomName } = details
  return (
    <div style={{ overflowWrap: 'anywhere', minWidth: '5rem' }}>
      {target.name ?? t(`audit.target.${target.type}`)}
      {typeof roomName === 'string' && target.name !== roomName && (
        <Text size="xs" c="dimmed">
          {t('audit.inRoom', { room: roomName })}
        </Text>
      )}
    </div>
  )
}

/** A click leaves only what they did. */
const Actor = ({ entry: { actor, tokenName }, onChoose }: { entry: AuditEntry; onChoose: (id: string) => void }) => {
  const { t } = useTranslation()
  const { id, kind, name } = actor
  return (
    <div style={{ overflowWrap: 'anywhere', minWidth: '5rem' }}>
      {id === null ? (
        name
      ) : (
        <Anchor
          component="button"
          type="button"
          size="sm"
          ta="start"
          aria-label={t('audit.filter.only', { name })}
          onClick={() => onChoose(id)}
        >
          {name}
        </Anchor>
      )}
      {kind !== 'user' && (
        <Text size="xs" c="dimmed">
          {t(`audit.kind.${kind}`)}
        </Text>
      )}
      {tokenName !== null && (
        <Text size="xs" c="dimmed">
          {t('audit.token', { name: tokenName })}
        </Text>
      )}
    </div>
  )
}
