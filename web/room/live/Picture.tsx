import {
  isTrackReference,
  type TrackReferenceOrPlaceholder,
  useIsMuted,
  useIsSpeaking,
  VideoTrack,
} from '@livekit/components-react'
import { IconHandStop, IconMicrophoneOff, IconPinFilled, IconScreenShare, IconStarFilled } from '@tabler/icons-react'
import { Track } from 'livekit-client'
import type { ReactNode, Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { initials } from '../names.ts'
import { useOnStage } from './context.ts'
import type { Box } from './layout.ts'
import { Quality } from './Quality.tsx'
import { TileReaction } from './Reaction.tsx'
import { isOwnScreen } from './stageTracks.ts'
import classes from './tile.module.css'

/** What a picture is of, and whether there is one. */
export const usePicture = (track: TrackReferenceOrPlaceholder) => {
  const { call } = useOnStage()
  const { participant, source } = track
  const isScreen = source === Track.Source.ScreenShare
  const isPictureOff = useIsMuted(track)
  const isOwn = isOwnScreen(track)
  const kind: 'screen' | 'camera' = isScreen ? 'screen' : 'camera'
  const isSpotlit = call?.spotlight?.participantId === participant.identity && call.spotlight.source === kind
  return { isScreen, isOwn, kind, isSpotlit, hasPicture: isTrackReference(track) && !isPictureOff && !isOwn }
}

interface PictureProps {
  track: TrackReferenceOrPlaceholder
  isPinned?: boolean
  size?: Box
  ref?: Ref<HTMLElement>
  /** What can be done with it. */
  children?: ReactNode
}

/** One picture of the stage: a person's camera, or a screen. */
export const Picture = ({ track, isPinned = false, size, ref, children }: PictureProps) => {
  const { t } = useTranslation()
  const { callParticipants, look } = useOnStage()
  const { isScreen, isOwn, isSpotlit, hasPicture } = usePicture(track)
  const { participant } = track
  const isSpeaking = useIsSpeaking(participant)
  const isMuted = useIsMuted({ participant, source: Track.Source.Microphone })
  const callParticipant = callParticipants.get(participant.identity)
  const ownName = participant.name || callParticipant?.name || ''
  const name = isScreen
    ? t('live.screenOf', { name: ownName })
    : participant.isLocal
      ? t('live.you', { name: ownName })
      : ownName

  return (
    <figure
      ref={ref}
      className={classes.tile}
      style={size}
      aria-label={name}
      data-speaking={isSpeaking && !isScreen}
      data-screen={isScreen}
      data-fit={look.fit}
      data-participant={participant.identity}
    >
      {hasPicture && isTrackReference(track) ? (
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
      {children}
    </figure>
  )
}
