import { EventEmitter } from 'node:events'
import { ConnectionState, type Participant, type Room, RoomEvent } from 'livekit-client'
import { expect, test } from 'vitest'
import { watchArrivals } from '../../web/room/live/arrivals.ts'

test('who joins and leaves is told, and nobody while the page itself reconnects', async () => {
  const media = Object.assign(new EventEmitter(), { state: ConnectionState.Connected })
  const told: string[] = []
  const tell = (what: string) => (participant: Participant) => void told.push(`${participant.identity} ${what}`)
  const watch = () => watchArrivals(media as unknown as Room, away, { onJoined: tell('joined'), onLeft: tell('left') })
  const away = new Set<string>()
  const stop = watch()
  const joins = (identity: string) => media.emit(RoomEvent.ParticipantConnected, { identity })
  const leaves = (identity: string) => media.emit(RoomEvent.ParticipantDisconnected, { identity })
  const soon = () => new Promise(resolve => setTimeout(resolve))

  joins('Ann')
  joins('Bob')
  leaves('Bob')
  await soon()
  expect(told.splice(0)).toEqual(['Ann joined', 'Bob joined', 'Bob left'])

  // In this order the library does it: everyone is taken away, and only then it says why.
  leaves('Ann')
  media.state = ConnectionState.Reconnecting
  await soon()
  media.state = ConnectionState.Connected
  joins('Ann')
  joins('Eve')
  stop()
  watch()
  leaves('Ann')
  await soon()
  joins('Ann')
  expect(told).toEqual(['Eve joined', 'Ann left', 'Ann joined'])
})
