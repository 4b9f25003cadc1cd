import { type TrackReferenceOrPlaceholder, useRemoteParticipants } from '@livekit/components-react'
import { useElementSize } from '@mantine/hooks'
import { useMemo } from 'react'
import type { Scene } from '../../../contract/recorderPage.ts'
import { OnStageProvider } from '../live/context.ts'
import { Picture } from '../live/Picture.tsx'
import { useShownReactions } from '../live/reactions.ts'
import { StageTiles } from '../live/StageTiles.tsx'
import { idOf, useStageTracks } from '../live/stageTracks.ts'
import classes from './recorded.module.css'

/** More than can be told apart: who speaks is shown large. */
const MOST_ALIKE = 9
/** As many as stand beside what is large. */
const MOST_BESIDE = 5

/** The stage as everyone sees it, without what one can do there. */
export const Recorded = ({ scene }: { scene: Scene }) => {
  const { roomType, spotlight, participants } = scene
  const { shown } = useShownReactions()
  const value = useMemo(
    () => ({
      room: { type: roomType },
      call: { spotlight },
      callParticipants: new Map(participants.map(one => [one.participantId, one])),
      look: { fit: 'fill' as const },
      reactions: { shown },
    }),
    [roomType, spotlight, participants, shown],
  )
  return (
    <OnStageProvider value={value}>
      <main className={classes.recorded}>
        <RecordedStage />
      </main>
    </OnStageProvider>
  )
}

const RecordedStage = () => {
  const { ref, ...box } = useElementSize()
  const isCrowd = useRemoteParticipants().length > MOST_ALIKE
  const { ordered, large } = useStageTracks(isCrowd ? 'speaker' : 'grid', null)
  const others = ordered.filter(track => !large.includes(track))
  const shown = others.slice(0, large.length > 0 ? MOST_BESIDE : MOST_ALIKE)
  const tile = (track: TrackReferenceOrPlaceholder, size?: { width: number; height: number }) => (
    <Picture key={idOf(track)} track={track} {...(size && { size })} />
  )
  return <StageTiles {...{ large, shown, box, tile }} boxRef={ref} />
}
