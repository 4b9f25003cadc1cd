import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PastParticipant } from '../../../contract/calls.ts'
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
  const id = userId ?? externalUserId
  return (
    <div>
      <Text size="sm">{t(userId !== null ? 'call.identity.account' : 'call.identity.guest')}</Text>
      {id !== null && <CopyId value={id} />}
    </div>
  )
}
