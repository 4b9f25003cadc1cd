import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import type { PastPerson } from '../../../contract/calls.ts'
import { codeOf } from '../../ui/api.ts'
import { duration, secondsBetween } from '../../ui/duration.ts'
import { exactTime, RelativeTime } from '../../ui/RelativeTime.tsx'
import { attendanceFile, type Call, type CallsOf, useCall } from '../data/calls.ts'
import { NotFoundPage } from '../shell/NotFoundPage.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { BackLink } from '../ui/BackLink.tsx'
import { DownloadButton } from '../ui/DownloadButton.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Page, Section } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { Attendance } from './Attendance.tsx'
import { CallChat } from './CallChat.tsx'
import { CallState } from './CallList.tsx'
import { CallRecordings } from './CallRecordings.tsx'
import { Timeline } from './Timeline.tsx'

/** One call, who attended it and what was written, reached by the space or by the room. */
export const CallPage = () => {
  const { t } = useTranslation()
  const { id: spaceId } = useThisSpace()
  const { roomId, callId = '' } = useParams()
  const of = { spaceId, roomId }
  const query = useCall(of, callId)
  if (codeOf(query.error) === 'not_found') return <NotFoundPage />
  return (
    <Loaded query={query} skeleton={<PageSkeleton />}>
      {({ call, people }) => (
        <div>
          <BackLink
            to={`/spaces/${spaceId}/${roomId === undefined ? '' : `rooms/${roomId}/`}calls`}
            label={t('calls.title')}
          />
          <Page title={call.roomName} description={t('call.title')}>
            <CallFacts call={call} people={people} />
            <CallRecordings call={call} />
            <Section title={t('call.timeline')} description={t('call.timeline.text')}>
              <Timeline call={call} people={people} />
            </Section>
            <Section
              title={t('call.attendance')}
              actions={<Downloads of={of} callId={callId} refresh={query.refetch} />}
            >
              <Attendance people={people} />
            </Section>
            <CallChat of={of} call={call} />
          </Page>
        </div>
      )}
    </Loaded>
  )
}

const CallFacts = ({ call, people }: { call: Call; people: PastPerson[] }) => {
  const { t, i18n } = useTranslation()
  const { startedAt, endedAt } = call
  return (
    <Facts
      facts={[
        [t('calls.state'), <CallState key="state" call={call} />],
        [
          t('calls.started'),
          <span key="started">
            {exactTime(startedAt, i18n.language)} (<RelativeTime time={startedAt} />)
          </span>,
        ],
        endedAt !== null && [t('calls.ended'), exactTime(endedAt, i18n.language)],
        endedAt !== null && [t('calls.duration'), duration(secondsBetween(startedAt, endedAt), i18n.language)],
        [t('call.participants'), people.length],
      ]}
    />
  )
}

interface DownloadsProps {
  of: CallsOf
  callId: string
  refresh: () => Promise<unknown>
}

const Downloads = ({ of, callId, refresh }: DownloadsProps) => {
  const { t } = useTranslation()
  return (['csv', 'xlsx'] as const).map(format => (
    <DownloadButton
      key={format}
      href={attendanceFile(of, callId, format)}
      label={t(`call.download.${format}`)}
      refresh={refresh}
    />
  ))
}
