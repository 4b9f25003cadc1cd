import { useDataChannel } from '@livekit/components-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BroadcastData } from '../../../contract/broadcast.ts'
import type { Reaction } from '../../../contract/callControls.ts'
import type { JoinedCall } from '../entry.ts'
import { refusalText } from './refusal.ts'

export const emojis: Record<Reaction, string> = {
  thumbs_up: '👍',
  clap: '👏',
  heart: '❤️',
  laugh: '😂',
  surprise: '😮',
  party: '🎉',
}

const SHOWN_MS = 4000

export interface Shown {
  reaction: Reaction
  /** Another for each, so that the same reaction again is seen as another. */
  key: number
}

/** The last reaction of each participant, for a few seconds. */
export const useShownReactions = () => {
  const [shown, setShown] = useState<ReadonlyMap<string, Shown>>(new Map())
  const count = useRef(0)
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const { current } = timers
    return () => {
      for (const timer of current) clearTimeout(timer)
    }
  }, [])

  const onData = useCallback(({ payload }: { payload: Uint8Array }) => {
    const { items } = JSON.parse(new TextDecoder().decode(payload)) as BroadcastData['reactions']
    const fresh = new Map<string, Shown>()
    for (const { participantId, reaction } of items) {
      count.current += 1
      fresh.set(participantId, { reaction, key: count.current })
    }
    setShown(before => new Map([...before, ...fresh]))
    const timer = setTimeout(() => {
      timers.current.delete(timer)
      setShown(before => new Map([...before].filter(([id, { key }]) => fresh.get(id)?.key !== key)))
    }, SHOWN_MS)
    timers.current.add(timer)
  }, [])
  useDataChannel('reactions', onData)
  return { shown }
}

export const useReactions = ({ client, access }: JoinedCall, say: (text: string) => void) => {
  const { t } = useTranslation()
  const { spaceId, roomId } = access
  const { shown } = useShownReactions()
  const react = (reaction: Reaction) => {
    client
      .sendReaction({ spaceId, roomId, reaction })
      .catch(error => say(refusalText(error, t, { rate_limited: 'react.tooFast' })))
  }
  return { shown, react }
}

export type Reactions = ReturnType<typeof useReactions>
