import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PastPerson } from '../../../contract/calls.ts'
import { CopyAction } from '../../ui/CopyAction.tsx'
import { CopyId } from '../../ui/CopyId.tsx'
import { duration } from '../../ui/duration.ts'
import { Records } from '../ui/Records.tsx'
import { stayWords } from './timeline.ts'

/** The people of the call: from when to when, and for how long altogether. */
export const Attendance = ({ people }: { people: PastPerson[] }) => {
  const { t, i18n } = useTranslation()
  return (
    <Records
      label={t('call.attendance')}
      records={people}
      idOf={person => `${person.firstJoinedAt} ${people.indexOf(person)}`}
      columns={[
        { head: t('person'), isName: true, cell: person => <Name person={person} /> },
        { head: t('call.role'), cell: person => <Text size="sm">{t(`call.role.${person.role}`)}</Text> },
        { head: t('call.identity'), cell: person => <Identity person={person} /> },
        {
          head: t('call.stays'),
          cell: person => (
            <Stack gap={2}>
              {person.stays.map(stay => (
                <Text key={stay.joinedAt} size="sm" style={{ whiteSpace: 'nowrap' }}>
                  {stayWords(stay, t, i18n.language)}
                </Text>
              ))}
            </Stack>
          ),
        },
        {
          head: t('call.total'),
          cell: person => (
            <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
              {duration(person.seconds, i18n.language)}
            </Text>
          ),
        },
      ]}
    />
  )
}

/** With the name on the link, for those who go by another. */
const Name = ({ person: { name, linkName } }: { person: PastPerson }) => {
  const { t } = useTranslation()
  return (
    <>
      {name}
      {linkName !== undefined && (
        <Text size="sm" c="dimmed">
          {t('call.linkName', { name: linkName })}
        </Text>
      )}
    </>
  )
}

/** The account, or who a guest is to the system that made the link. */
const Identity = ({ person: { userId, externalUserId } }: { person: PastPerson }) => {
  const { t } = useTranslation()
  if (userId !== null)
    return (
      <Group gap={4} wrap="nowrap">
        <Text size="sm">{t('call.identity.account')}</Text>
        <CopyAction label={t('userId')} value={userId} variant="subtle" />
      </Group>
    )
  return (
    <div>
      <Text size="sm">{t('call.identity.guest')}</Text>
      {externalUserId !== null && <CopyId value={externalUserId} />}
    </div>
  )
}
