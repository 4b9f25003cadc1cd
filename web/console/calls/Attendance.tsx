import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PastParticipant } from '../../../contract/calls.ts'
import { CopyAction } from '../../ui/CopyAction.tsx'
import { CopyId } from '../../ui/CopyId.tsx'
import { duration } from '../../ui/duration.ts'
import { Records } from '../ui/Records.tsx'
import { stayWords } from './timeline.ts'

/** The participants of the call: from when to when, and for how long altogether. */
export const Attendance = ({ participants }: { participants: PastParticipant[] }) => {
  const { t, i18n } = useTranslation()
  return (
    <Records
      label={t('call.attendance')}
      records={participants}
      idOf={participant => participant.participantId}
      columns={[
        { head: t('person'), isName: true, cell: participant => participant.name },
        { head: t('call.role'), cell: participant => <Text size="sm">{t(`call.role.${participant.role}`)}</Text> },
        { head: t('call.identity'), cell: participant => <Identity participant={participant} /> },
        {
          head: t('call.stays'),
          cell: participant => (
            <Stack gap={2}>
              {participant.stays.map(stay => (
                <Text key={stay.joinedAt} size="sm" style={{ whiteSpace: 'nowrap' }}>
                  {stayWords(stay, t, i18n.language)}
                </Text>
              ))}
            </Stack>
          ),
        },
        {
          head: t('call.total'),
          cell: participant => (
            <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
              {duration(participant.totalSeconds, i18n.language)}
            </Text>
          ),
        },
      ]}
    />
  )
}

/** The account, or who a guest is to the system that made the link. */
const Identity = ({ participant: { userId, externalUserId } }: { participant: PastParticipant }) => {
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
