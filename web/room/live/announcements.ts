import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallParticipant } from './call.ts'

const SHOWN_MS = 6000

/** One line at a time, for a while. */
export const useNote = () => {
  const [note, setNote] = useState<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const say = useCallback((text: string) => {
    clearTimeout(timer.current)
    setNote(text)
    timer.current = setTimeout(() => setNote(null), SHOWN_MS)
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])
  return { note, say }
}

/** Tells of hands that go up, and the person themselves of the floor. */
export const useAnnouncements = (
  callParticipants: Map<string, CallParticipant>,
  self: CallParticipant | undefined,
  isModerator: boolean,
  say: (text: string) => void,
) => {
  const { t } = useTranslation()
  const hands = useRef<Set<string> | null>(null)
  const hadFloor = useRef<boolean | null>(null)

  useEffect(() => {
    if (callParticipants.size === 0) return
    const up = [...callParticipants.values()].filter(({ handRaisedAt }) => handRaisedAt !== null)
    const before = hands.current
    const fresh = up.find(({ participantId }) => before && !before.has(participantId))
    hands.current = new Set(up.map(({ participantId }) => participantId))
    if (fresh && isModerator && fresh !== self) say(t('live.handOf', { name: fresh.name }))
  }, [callParticipants, self, isModerator, say, t])

  useEffect(() => {
    if (!self) return
    const before = hadFloor.current
    hadFloor.current = self.hasFloor
    if (before !== null && before !== self.hasFloor) say(t(self.hasFloor ? 'live.floorGiven' : 'live.floorTaken'))
  }, [self, say, t])
}
