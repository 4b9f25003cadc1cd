import { type TrackReferenceOrPlaceholder, useSpeakingParticipants, useTracks } from '@livekit/components-react'
import { RoomEvent, Track } from 'livekit-client'
import { useRef } from 'react'
import { useOnStage } from './context.ts'
import type { View } from './view.ts'

export const idOf = ({ participant, source }: TrackReferenceOrPlaceholder) => `${participant.identity}/${source}`
const isScreen = ({ source }: TrackReferenceOrPlaceholder) => source === Track.Source.ScreenShare

export const isOwnCamera = (track: TrackReferenceOrPlaceholder) => track.participant.isLocal && !isScreen(track)

/** Shown back at full size it would show itself, without end. */
export const isOwnScreen = (track: TrackReferenceOrPlaceholder) => track.participant.isLocal && isScreen(track)

/** Side by side: nobody's screen pushes that of a moderator aside. */
const MOST_SCREENS = 2

/** A webinar shows who may go on the air; those who only watch are in the list of people. */
const isOnAir = ({ participant }: TrackReferenceOrPlaceholder) => participant.permissions?.canPublish === true

/** The last person to speak, if not the person themselves: the large picture stays while there is a pause. */
const useLastSpeaker = () => {
  const [speaker] = useSpeakingParticipants().filter(({ isLocal }) => !isLocal)
  const last = useRef<string | null>(null)
  if (speaker) last.current = speaker.identity
  return last.current
}

/** What is on the stage in which order, and which of it is shown large. */
export const useStageTracks = (view: View, pinned: string | null) => {
  const { room, call, callParticipants } = useOnStage()
  const found = useTracks(
    [
      { source: Track.Source.Camera, withPlaceholder: true },
      { source: Track.Source.ScreenShare, withPlaceholder: false },
    ],
    {
      onlySubscribed: false,
      updateOnlyOn: [RoomEvent.ParticipantPermissionsChanged, RoomEvent.ActiveSpeakersChanged],
    },
  )
  // A recorder is there and does not see itself.
  const all = found.filter(({ participant }) => !participant.permissions?.hidden)
  const speaker = useLastSpeaker()
  const tracks = room?.type === 'webinar' ? all.filter(isOnAir) : all
  const screens = tracks.filter(isScreen)
  const people = tracks.filter(track => !isScreen(track))
  const ordered = [...screens, ...people.filter(({ participant }) => !participant.isLocal)].concat(
    people.filter(({ participant }) => participant.isLocal),
  )
  const ofModerators = ({ participant }: TrackReferenceOrPlaceholder) =>
    callParticipants.get(participant.identity)?.role === 'moderator'
  const foreign = screens.filter(({ participant }) => !participant.isLocal)
  const isSpotlit = (track: TrackReferenceOrPlaceholder) =>
    track.participant.identity === call?.spotlight?.participantId &&
    isScreen(track) === (call.spotlight.source === 'screen') &&
    !isOwnScreen(track)

  const chooseLarge = (): TrackReferenceOrPlaceholder[] => {
    // The person's own choice goes before that of the moderators.
    const chosen = ordered.find(track => idOf(track) === pinned) ?? ordered.find(isSpotlit)
    if (chosen) return [chosen]
    if (foreign.length > 0)
      return [...foreign.filter(ofModerators), ...foreign.filter(track => !ofModerators(track))].slice(0, MOST_SCREENS)
    if (view !== 'speaker' || ordered.length < 2) return []
    return [people.find(({ participant }) => participant.identity === speaker) ?? ordered[0]].filter(track => !!track)
  }
  return { ordered, large: chooseLarge() }
}
