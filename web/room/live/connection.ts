import { DefaultReconnectPolicy, DisconnectReason, Room, RoomEvent, setLogLevel, VideoPresets } from 'livekit-client'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { DeviceChoices } from '../devices.ts'
import type { Ending } from '../ended/Ended.tsx'
import { isJoined, type JoinedCall, joinAs } from '../entry.ts'
import { endingOf, endingOfRefusal, isRefusal } from './ending.ts'

// It calls the ordinary end of a connection an error; what matters is handled below.
setLogLevel('silent')

/** `rejoining`: the media library has given up, as after a restart of the engine, and the room is joined anew. */
type ConnectionState = 'connecting' | 'connected' | 'reconnecting' | 'rejoining'

/** The library's own tries to pick up a lost connection. An engine that was restarted no longer knows it. */
const RESUME_AFTER_MS = [0, 300, 1000, 2000, 4000]
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 15_000

const createRoom = ({ camera, microphone, speaker, sound }: DeviceChoices) =>
  new Room({
    adaptiveStream: true,
    dynacast: true,
    reconnectPolicy: new DefaultReconnectPolicy(RESUME_AFTER_MS),
    videoCaptureDefaults: {
      resolution: VideoPresets.h720.resolution,
      ...(camera.id && { deviceId: { exact: camera.id } }),
    },
    audioCaptureDefaults: { ...sound, ...(microphone.id && { deviceId: { exact: microphone.id } }) },
    ...(speaker && { audioOutput: { deviceId: speaker } }),
  })

/** null: only if a moderator lets them in, since the call they were in is over. */
const joinAgain = async ({ access }: JoinedCall) => {
  const answer = await joinAs(access, 'ask')
  return isJoined(answer) ? answer.joined : null
}

/** Keeps the person in the room until they leave, are disconnected by a moderator, or the call is over. */
export const useConnection = (joinedCall: JoinedCall, choices: DeviceChoices, onEnd: (ending: Ending) => void) => {
  const [room] = useState(() => createRoom(choices))
  const [state, setState] = useState<ConnectionState>('connecting')
  const [round, setRound] = useState(0)
  const handle = useRef({ retry: () => {}, leave: () => {} })

  useEffect(() => {
    let isOver = false
    let isJoining = false
    let failures = 0
    let timer: ReturnType<typeof setTimeout> | undefined

    const end = (ending: Ending) => {
      if (isOver) return
      isOver = true
      onEnd(ending)
    }

    const connect = async (isFirst: boolean) => {
      isJoining = true
      const joined = isFirst ? joinedCall.joined : await joinAgain(joinedCall)
      if (isOver) return
      if (!joined) return end('ended')
      await room.connect(joined.mediaUrl, joined.mediaToken)
      failures = 0
      if (isOver) return room.disconnect()
      setState('connected')
      setRound(before => before + 1)
    }

    const attempt = (isFirst = false) => {
      clearTimeout(timer)
      if (isJoining || isOver) return
      connect(isFirst)
        .catch(async error => {
          if (isOver) return
          if (isRefusal(error)) return end(await endingOfRefusal(error, joinedCall.access.alias))
          setState('rejoining')
          timer = setTimeout(attempt, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures))
          failures += 1
        })
        .finally(() => {
          isJoining = false
        })
    }
    handle.current = { retry: () => attempt(), leave: () => end('left') }

    const onDisconnected = async (reason?: DisconnectReason) => {
      // What fails while joining is dealt with there.
      if (isJoining || isOver) return
      switch (reason) {
        case DisconnectReason.CLIENT_INITIATED:
          return end('left')
        case DisconnectReason.DUPLICATE_IDENTITY:
          return end('other_tab')
        case DisconnectReason.PARTICIPANT_REMOVED:
          return end(await endingOf(joinedCall, 'removed'))
        case DisconnectReason.ROOM_DELETED:
        case DisconnectReason.ROOM_CLOSED:
          return end(await endingOf(joinedCall, 'ended'))
        default:
          setState('rejoining')
          attempt()
      }
    }
    const onReconnecting = () => setState('reconnecting')
    const onReconnected = () => {
      setState('connected')
      setRound(before => before + 1)
    }
    const goOnline = () => handle.current.retry()

    room
      .on(RoomEvent.Disconnected, onDisconnected)
      .on(RoomEvent.Reconnecting, onReconnecting)
      .on(RoomEvent.SignalReconnecting, onReconnecting)
      .on(RoomEvent.Reconnected, onReconnected)
    window.addEventListener('online', goOnline)
    attempt(true)

    return () => {
      isOver = true
      clearTimeout(timer)
      window.removeEventListener('online', goOnline)
      room
        .off(RoomEvent.Disconnected, onDisconnected)
        .off(RoomEvent.Reconnecting, onReconnecting)
        .off(RoomEvent.SignalReconnecting, onReconnecting)
        .off(RoomEvent.Reconnected, onReconnected)
      void room.disconnect()
    }
  }, [room, joinedCall, onEnd])

  const retry = useCallback(() => handle.current.retry(), [])
  const leave = useCallback(() => handle.current.leave(), [])
  /** `round` grows with every connection made: what was told meanwhile has been missed. */
  return { room, state, round, retry, leave }
}

export type Connection = ReturnType<typeof useConnection>
