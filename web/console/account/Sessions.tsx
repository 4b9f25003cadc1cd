import { Badge, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { endOtherSessions, endSession, useSessions } from '../data/account.ts'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { Section } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { describeBrowser } from './browser.ts'

export const Sessions = () => {
  const { t } = useTranslation()
  const sessions = useSessions()
  const hasOthers = sessions.data?.some(({ isCurrent }) => !isCurrent)
  const browserOf = (userAgent: string | null) => describeBrowser(userAgent) ?? t('sessions.program')
  return (
    <Section
      title={t('sessions.title')}
      description={t('sessions.text')}
      actions={
        hasOthers && (
          <ConfirmButton
            label={t('sessions.endOthers')}
            size="xs"
            variant="outline"
            title={t('sessions.endOthers')}
            text={t('sessions.endOthers.text')}
            confirmLabel={t('sessions.end')}
            onConfirm={endOtherSessions}
          />
        )
      }
    >
      <PagedRecords
        label={t('sessions.title')}
        pages={sessions}
        idOf={session => session.id}
        empty={null}
        columns={[
          {
            head: t('sessions.browser'),
            isName: true,
            cell: ({ userAgent, isCurrent }) => (
              <Group gap="xs">
                <span title={userAgent ?? undefined}>{browserOf(userAgent)}</span>
                {isCurrent && (
                  <Badge variant="light" tt="none">
                    {t('sessions.current')}
                  </Badge>
                )}
              </Group>
            ),
          },
          { head: t('sessions.signedIn'), cell: session => <RelativeTime time={session.createdAt} /> },
          { head: t('sessions.lastUsed'), cell: session => <RelativeTime time={session.lastUsedAt} /> },
          {
            head: t('actions'),
            isActions: true,
            cell: session =>
              !session.isCurrent && (
                <ConfirmButton
                  label={t('sessions.end')}
                  title={t('sessions.end.title')}
                  text={t('sessions.end.text', { browser: browserOf(session.userAgent) })}
                  confirmLabel={t('sessions.end')}
                  onConfirm={() => endSession(session.id)}
                />
              ),
          },
        ]}
      />
    </Section>
  )
}
