import { Anchor } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'react-router'
import { duration, secondsBetween } from '../../ui/duration.ts'
import { exactTime, RelativeTime } from '../../ui/RelativeTime.tsx'
import { type Call, useCalls } from '../data/calls.ts'
import { useRoom } from '../data/rooms.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { BackLink } from '../ui/BackLink.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Page } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { StateMark } from '../ui/StateMark.tsx'

/** The calls of the space, rooms that are gone included, or of one of its rooms. */
export const CallsPage = () => {
  const { id: spaceId } = useThisSpace()
  const { roomId } = useParams()
  return roomId === undefined ? <CallsOfSpace spaceId={spaceId} /> : <CallsOfRoom spaceId={spaceId} roomId={roomId} />
}

const CallsOfSpace = ({ spaceId }: { spaceId: string }) => {
  const { t } = useTranslation()
  return (
    <Page title={t('calls.title')} description={t('calls.text')}>
      <CallList spaceId={spaceId} />
    </Page>
  )
}

const CallsOfRoom = ({ spaceId, roomId }: { spaceId: string; roomId: string }) => {
  const { t } = useTranslation()
  const { data: room } = useRoom(spaceId, roomId)
  return (
    <div>
      <BackLink to={`/spaces/${spaceId}/rooms/${roomId}`} label={room?.name ?? t('calls.room')} />
      <Page title={t('calls.title')} description={t('calls.text.room')}>
        <CallList spaceId={spaceId} roomId={roomId} />
      </Page>
    </div>
  )
}

const CallList = ({ spaceId, roomId }: { spaceId: string; roomId?: string }) => {
  const { t, i18n } = useTranslation()
  const calls = useCalls({ spaceId, roomId })
  // In one room all calls have the same name: there the time tells them apart.
  const nameOf = ({ roomName, startedAt }: Call) =>
    roomId === undefined ? roomName : exactTime(startedAt, i18n.language)
  return (
    <PagedRecords
      label={t('calls.title')}
      pages={calls}
      idOf={call => call.id}
      empty={<Empty icon={IconHistory} title={t('calls.empty.title')} text={t('calls.empty.text')} />}
      columns={[
        {
          head: t(roomId === undefined ? 'calls.room' : 'calls.call'),
          isName: true,
          cell: call => (
            <Anchor component={Link} to={call.id}>
              {nameOf(call)}
            </Anchor>
          ),
        },
        { head: t('calls.started'), cell: call => <RelativeTime time={call.startedAt} /> },
        {
          head: t('calls.duration'),
          cell: ({ startedAt, endedAt }) =>
            endedAt === null ? '–' : duration(secondsBetween(startedAt, endedAt), i18n.language),
        },
        { head: t('calls.state'), cell: call => <CallState call={call} /> },
      ]}
    />
  )
}

export const CallState = ({ call: { endedAt } }: { call: Pick<Call, 'endedAt'> }) => {
  const { t } = useTranslation()
  return endedAt === null ? (
    <StateMark tone="good">{t('calls.state.open')}</StateMark>
  ) : (
    <StateMark tone="quiet">{t('calls.state.ended')}</StateMark>
  )
}
