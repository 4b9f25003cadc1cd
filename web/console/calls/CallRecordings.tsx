import { useTranslation } from 'react-i18next'
import type { Call } from '../data/calls.ts'
import { useRecords } from '../data/records.ts'
import { type Room, useRoom } from '../data/rooms.ts'
import { useMe } from '../data/session.ts'
import { mayDeleteRoom } from '../may.ts'
import { RecordingList } from '../recordings/RecordingList.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Section } from '../ui/Page.tsx'

/** What was recorded of the call. A room that is deleted takes its recordings along. */
export const CallRecordings = ({ call }: { call: Call }) => {
  const { id: spaceId } = useThisSpace()
  const room = useRoom(spaceId, call.roomId).data
  return room ? <Recorded room={room} call={call} /> : null
}

const Recorded = ({ room, call }: { room: Room; call: Call }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const me = useMe()
  const of = { spaceId: space.id, roomId: room.id, callId: call.id }
  if (!useRecords(of).data?.length) return null
  return (
    <Section title={t('recordings.title')}>
      <RecordingList of={of} mayDelete={mayDeleteRoom(room, space, me)} empty={null} />
    </Section>
  )
}
