import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { api } from '../../ui/api.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Page } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { Records } from '../ui/Records.tsx'

/** Who attended a call, by the space or by its room. */
export const CallPage = () => {
  const { t } = useTranslation()
  const { id: spaceId } = useThisSpace()
  const { roomId, callId = '' } = useParams()
  const attendance = useQuery({
    queryKey: ['attendance', spaceId, callId],
    queryFn: () =>
      roomId === undefined
        ? api.getSpaceAttendance({ spaceId, callId })
        : api.getAttendance({ spaceId, roomId, callId }),
  })
  return (
    <Page title={t('call.attendance')}>
      <Loaded query={attendance} skeleton={<PageSkeleton />}>
        {({ items }) => (
          <Records
            label={t('call.attendance')}
            records={items}
            idOf={attendee => attendee.participantId}
            columns={[{ head: t('name'), isName: true, cell: attendee => attendee.name }]}
          />
        )}
      </Loaded>
    </Page>
  )
}
