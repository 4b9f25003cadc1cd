import { ConnectionState, type Participant, type Room, RoomEvent } from 'livekit-client'

/**
 * Who joins and leaves. When the page itself reconnects, the library takes everyone away and gives them back: `away` are
 * those, who have neither left nor joined.
 */
export const watchArrivals = (
  media: Pick<Room, 'state' | 'on' | 'off'>,
  away: Set<string>,
  { onJoined, onLeft }: Record<'onJoined' | 'onLeft', (participant: Participant) => void>,
) => {
  const joined = (participant: Participant) => {
    if (!away.delete(participant.identity)) onJoined(participant)
  }
  const left = (participant: Participant) =>
    // It says that it reconnects a moment after it has taken them away.
    queueMicrotask(() => {
      if (media.state === ConnectionState.Connected) onLeft(participant)
      else away.add(participant.identity)
    })
  media.on(RoomEvent.ParticipantConnected, joined).on(RoomEvent.ParticipantDisconnected, left)
  return () => void media.off(RoomEvent.ParticipantConnected, joined).off(RoomEvent.ParticipantDisconnected, left)
}
