import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Attendee } from '../../../contract/calls.ts'
import { CopyId } from '../../ui/CopyId.tsx'
import { duration } from '../../ui/duration.ts'
import { Records } from '../ui/Records.tsx'
import { stayWords } from './timeline.ts'

/** Who was there, from when to when, and for how long altogether. */
export const Attendance = ({ attendees }: { attendees: Attendee[] }) => {
  const { t, i18n } = useTranslation()
  return (
    <Records
      label={t('call.attendance')}
      records={attendees}
      idOf={attendee => attendee.participantId}
      columns={[
        { head: t('name'), isName: true, cell: attendee => attendee.name },
        { head: t('call.role'), cell: attendee => <Text size="sm">{t(`call.role.${attendee.role}`)}</Text> },
        { head: t('call.identity'), cell: attendee => <Identity attendee={attendee} /> },
        {
          head: t('call.stays'),
          cell: attendee => (
            <Stack gap={2}>
              {attendee.stays.map(stay => (
                <Text key={stay.joinedAt} size="sm" style={{ whiteSpace: 'nowrap' }}>
                  {stayWords(stay, t, i18n.language)}
                </Text>
              ))}
            </Stack>
          ),
        },
        {
          head: t('call.total'),
          cell: attendee => (
            <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
              {duration(attendee.totalSeconds, i18n.language)}
            </Text>
          ),
        },
      ]}
    />
  )
}

/** The account, or who a guest is to the system that made the link. */
const Identity = ({ attendee: { userId, externalUserId } }: { attendee: Attendee }) => {
  const { t } = useTranslation()
  const id = userId ?? externalUserId
  return (
    <div>
      <Text size="sm">{t(userId !== null ? 'call.identity.account' : 'call.identity.guest')}</Text>
      {id !== null && <CopyId value={id} />}
    </div>
  )
}
