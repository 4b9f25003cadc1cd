import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KnownCall } from './call.ts'
import { isOnAir, isPermitted, type Permission } from './may.ts'

const SHOWN_MS = 6000

/** One line at a time, for a while. */
export const useNote = () => {
  const [note, setNote] = useState<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const say = useCallback((text: string) => {
    clearTimeout(timer.current)
    setNote(text)
    timer.current = setTimeout(() => {
      timer.current = undefined
      setNote(null)
    }, SHOWN_MS)
  }, [])
  /** Unless something else is being said. */
  const mention = useCallback(
    (text: string) => {
      if (timer.current === undefined) say(text)
    },
    [say],
  )
  useEffect(() => () => clearTimeout(timer.current), [])
  return { note, say, mention }
}

/** Tells of hands that go up, and of what the person may do from now on, or no longer. */
export const useAnnouncements = (known: KnownCall, say: (text: string) => void) => {
  const { callParticipants, self, room, isModerator } = known
  const { t } = useTranslation()
  const hands = useRef<Set<string> | null>(null)

  useEffect(() => {
    if (callParticipants.size === 0) return
    const up = [...callParticipants.values()].filter(({ handRaisedAt }) => handRaisedAt !== null)
    const before = hands.current
    const fresh = up.find(({ participantId }) => before && !before.has(participantId))
    hands.current = new Set(up.map(({ participantId }) => participantId))
    if (fresh && isModerator && fresh !== self) say(t('live.handOf', { name: fresh.name }))
  }, [callParticipants, self, isModerator, say, t])

  const mayBeOnAir = isOnAir(known)
  useChange(mayBeOnAir, isIt => {
    if (!isIt) say(t('live.floorTaken'))
    // Who was given the floor is asked instead.
    else if (!self?.hasFloor) say(t('live.onAir'))
  })
  const usePermission = (permission: Permission, concerns: boolean | undefined) =>
    useChange(isPermitted(known, permission), isIt => {
      if (concerns) say(t(`live.permission.${permission}.${isIt ? 'on' : 'off'}`))
    })
  usePermission('microphone', mayBeOnAir)
  usePermission('camera', mayBeOnAir)
  usePermission('screen', mayBeOnAir)
  usePermission('hand', true)
  usePermission('name', true)
  useChange(room?.isChatAllowed, isIt => {
    if (!isIt) say(t('chat.off'))
  })
}

/** Called when what was known to be so is known to be otherwise. */
const useChange = (state: boolean | undefined, onChange: (state: boolean) => void) => {
  const known = useRef(state)
  const handle = useRef(onChange)
  handle.current = onChange
  useEffect(() => {
    if (state === undefined) return
    const before = known.current
    known.current = state
    if (before !== undefined && before !== state) handle.current(state)
  }, [state])
}
