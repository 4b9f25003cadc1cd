import { useRemoteParticipants } from '@livekit/components-react'
import { useTranslation } from 'react-i18next'
import { useLive, useOnStage } from './context.ts'
import { emojis } from './reactions.ts'
import classes from './tile.module.css'

/** Over somebody's picture, for a few seconds. */
export const TileReaction = ({ participantId, name }: { participantId: string; name: string }) => {
  const { t } = useTranslation()
  const { reactions } = useOnStage()
  const shown = reactions.shown.get(participantId)
  if (!shown) return null
  const { reaction, key } = shown
  return (
    <span
      key={key}
      className={classes.reaction}
      role="img"
      aria-label={t('react.of', { name, reaction: t(`react.${reaction}`) })}
    >
      {emojis[reaction]}
    </span>
  )
}

const MOST = 5

/** Of those who have no picture on the stage: viewers of a webinar, and people on another page. */
export const UnseenReactions = ({ seen }: { seen: ReadonlySet<string> }) => {
  const { reactions, joinedCall, self } = useLive()
  const names = new Map(useRemoteParticipants().map(({ identity, name }) => [identity, name]))
  names.set(joinedCall.joined.participantId, self?.name ?? joinedCall.joined.name)
  const unseen = [...reactions.shown].filter(([id]) => !seen.has(id)).slice(-MOST)
  if (unseen.length === 0) return null
  return (
    <ul className={classes.unseen} aria-hidden>
      {unseen.map(([id, { reaction, key }]) => (
        <li key={key}>
          <span>{emojis[reaction]}</span>
          <span className={classes.name}>{names.get(id)}</span>
        </li>
      ))}
    </ul>
  )
}
