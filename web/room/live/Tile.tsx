import {
  isTrackReference,
  type TrackReferenceOrPlaceholder,
  useIsMuted,
  useIsSpeaking,
  VideoTrack,
} from '@livekit/components-react'
import { ActionIcon, Tooltip } from '@mantine/core'
import {
  IconHandStop,
  IconMaximize,
  IconMicrophoneOff,
  IconPictureInPicture,
  IconPin,
  IconPinFilled,
  IconPinnedOff,
  IconScreenShare,
  IconStar,
  IconStarFilled,
  IconStarOff,
} from '@tabler/icons-react'
import { Track } from 'livekit-client'
import { type ComponentProps, type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { initials } from '../names.ts'
import { useLive } from './context.ts'
import { useModeration } from './moderation.ts'
import { canFloat, showInWindow } from './pictureInPicture.ts'
import { Quality } from './Quality.tsx'
import { TileReaction } from './Reaction.tsx'
import { isOwnScreen } from './stageTracks.ts'
import classes from './tile.module.css'

interface TileProps {
  track: TrackReferenceOrPlaceholder
  isPinned: boolean
  onPin: () => void
  size?: { width: number; height: number }
  /** More that can be done with it. */
  actions?: ReactNode
}

interface ActionProps extends Pick<ComponentProps<'button'>, 'onClick' | 'onKeyDown' | 'aria-pressed'> {
  label: string
  icon: ReactNode
}

export const TileAction = ({ label, icon, ...button }: ActionProps) => (
  <Tooltip label={label}>
    <ActionIcon variant="filled" color="dark" aria-label={label} {...button}>
      {icon}
    </ActionIcon>
  </Tooltip>
)

/** One picture of the stage: a person's camera, or a screen. */
export const Tile = ({ track, isPinned, onPin, size, actions }: TileProps) => {
  const { t } = useTranslation()
  const { callParticipants, call, isModerator, look, say } = useLive()
  const { spotlight } = useModeration()
  const frame = useRef<HTMLElement>(null)
  const { participant, source } = track
  const isScreen = source === Track.Source.ScreenShare
  const isSpeaking = useIsSpeaking(participant)
  const isPictureOff = useIsMuted(track)
  const isMuted = useIsMuted({ participant, source: Track.Source.Microphone })
  const callParticipant = callParticipants.get(participant.identity)
  const ownName = participant.name || callParticipant?.name || ''
  const name = isScreen
    ? t('live.screenOf', { name: ownName })
    : participant.isLocal
      ? t('live.you', { name: ownName })
      : ownName
  const isOwn = isOwnScreen(track)
  const hasPicture = isTrackReference(track) && !isPictureOff && !isOwn
  const kind = isScreen ? 'screen' : 'camera'
  const isSpotlit = call?.spotlight?.participantId === participant.identity && call.spotlight.source === kind
  const shown = isTrackReference(track) ? track.publication.track : undefined

  return (
    <figure
      ref={frame}
      className={classes.tile}
      style={size}
      aria-label={name}
      data-speaking={isSpeaking && !isScreen}
      data-screen={isScreen}
      data-fit={look.fit}
      data-participant={participant.identity}
    >
      {hasPicture ? (
        <VideoTrack
          trackRef={track}
          className={classes.picture}
          data-mirrored={participant.isLocal && !isScreen}
          aria-hidden
        />
      ) : isOwn ? (
        <div className={classes.ownScreen}>
          <IconScreenShare size={32} aria-hidden />
          <span>{t('live.presenting.seen')}</span>
        </div>
      ) : (
        <span className={classes.initials} aria-hidden>
          {initials(ownName)}
        </span>
      )}
      <figcaption className={classes.caption}>
        {!isScreen && isMuted && <IconMicrophoneOff size={16} role="img" aria-label={t('live.isMuted')} />}
        <span className={classes.name}>{name}</span>
      </figcaption>
      <div className={classes.marks}>
        {callParticipant?.handRaisedAt && !isScreen && (
          <span className={classes.hand} role="img" aria-label={t('live.handUp')}>
            <IconHandStop size={20} aria-hidden />
          </span>
        )}
        {isSpotlit && (
          <span className={classes.pinned} role="img" aria-label={t('live.spotlit')}>
            <IconStarFilled size={18} aria-hidden />
          </span>
        )}
        {isPinned && (
          <span className={classes.pinned} role="img" aria-label={t('live.pinned')}>
            <IconPinFilled size={18} aria-hidden />
          </span>
        )}
        {!isScreen && !participant.isLocal && <Quality participant={participant} />}
      </div>
      {!isScreen && <TileReaction participantId={participant.identity} name={ownName} />}
      <div className={classes.actions}>
        {actions}
        {isModerator && !isOwn && (
          <TileAction
            label={t(isSpotlit ? 'people.spotlight.end' : 'people.spotlight')}
            icon={isSpotlit ? <IconStarOff size={18} aria-hidden /> : <IconStar size={18} aria-hidden />}
            aria-pressed={isSpotlit}
            onClick={() => void spotlight(isSpotlit ? null : participant.identity, kind)}
          />
        )}
        {hasPicture && canFloat() && (
          <TileAction
            label={t('live.pictureInPicture')}
            icon={<IconPictureInPicture size={18} aria-hidden />}
            onClick={() => shown && showInWindow(shown).catch(() => say(t('live.pictureInPicture.failed')))}
          />
        )}
        {isScreen && document.fullscreenEnabled && (
          <TileAction
            label={t('live.fullScreen')}
            icon={<IconMaximize size={18} aria-hidden />}
            onClick={() => frame.current?.requestFullscreen()}
          />
        )}
        <TileAction
          label={t(isPinned ? 'live.unpin' : 'live.pin')}
          icon={isPinned ? <IconPinnedOff size={18} aria-hidden /> : <IconPin size={18} aria-hidden />}
          aria-pressed={isPinned}
          onClick={onPin}
        />
      </div>
    </figure>
  )
}
