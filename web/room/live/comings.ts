import { useRoomContext } from '@livekit/components-react'
import type { Participant } from 'livekit-client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { kept } from '../../ui/storage.ts'
import { watchArrivals } from './arrivals.ts'
import type { KnownCall } from './call.ts'
import { chime } from './chime.ts'

const KEY = 'lectern.comings'
/** Where more come and go, nobody follows them. */
const AT_MOST = 30

/** Tells who joins and leaves, with a quiet sound: in a small call, and of a webinar only to moderators. */
export const useComings = ({ room, isModerator }: KnownCall, round: number, mention: (text: string) => void) => {
  const { t } = useTranslation()
  const media = useRoomContext()
  const [isOn, setOn] = useState(() => kept.get(KEY) !== 'off')
  const away = useRef(new Set<string>())
  const isWanted = useRef(false)
  isWanted.current = isOn && room !== undefined && (room.type === 'lesson' || isModerator)

  useEffect(() => {
    if (round === 0) return
    const tell =
      (key: 'live.joined' | 'live.left', isUp: boolean) =>
      ({ name }: Participant) => {
        if (!isWanted.current || media.numParticipants > AT_MOST || !name) return
        mention(t(key, { name }))
        chime(isUp)
      }
    return watchArrivals(media, away.current, {
      onJoined: tell('live.joined', true),
      onLeft: tell('live.left', false),
    })
  }, [media, round, mention, t])

  const toggle = useCallback(() => {
    setOn(before => {
      kept.set(KEY, before ? 'off' : 'on')
      return !before
    })
  }, [])
  return { isOn, toggle }
}

export type Comings = ReturnType<typeof useComings>
