import {
  isTrackReference,
  type TrackReferenceOrPlaceholder,
  useConnectionQualityIndicator,
  useIsMuted,
  useIsSpeaking,
  VideoTrack,
} from '@livekit/components-react'
import { ActionIcon, Tooltip } from '@mantine/core'
import {
  IconHandStop,
  IconMaximize,
  IconMicrophoneOff,
  IconPin,
  IconPinFilled,
  IconPinnedOff,
  IconWifi1,
  IconWifiOff,
} from '@tabler/icons-react'
import { ConnectionQuality, Track } from 'livekit-client'
import { type ComponentProps, type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { initials } from '../names.ts'
import { useLive } from './context.ts'
import classes from './tile.module.css'

interface TileProps {
  track: TrackReferenceOrPlaceholder
  isPinned: boolean
  onPin: () => void
  size?: { width: number; height: number }
}

const Quality = ({ quality }: { quality: ConnectionQuality }) => {
  const { t } = useTranslation()
  if (quality !== ConnectionQuality.Poor && quality !== ConnectionQuality.Lost) return null
  const isLost = quality === ConnectionQuality.Lost
  const Icon = isLost ? IconWifiOff : IconWifi1
  return (
    <span className={classes.quality} data-lost={isLost}>
      <Icon size={18} aria-hidden />
      <span className={classes.words}>{t(isLost ? 'live.quality.lost' : 'live.quality.poor')}</span>
    </span>
  )
}

interface ActionProps extends Pick<ComponentProps<'button'>, 'onClick' | 'aria-pressed'> {
  label: string
  icon: ReactNode
}

const Action = ({ label, icon, ...button }: ActionProps) => (
  <Tooltip label={label}>
    <ActionIcon variant="filled" color="dark" aria-label={label} {...button}>
      {icon}
    </ActionIcon>
  </Tooltip>
)

/** One picture of the stage: a person's camera, or a screen. */
export const Tile = ({ track, isPinned, onPin, size }: TileProps) => {
  const { t } = useTranslation()
  const { callParticipants } = useLive()
  const frame = useRef<HTMLElement>(null)
  const { participant, source } = track
  const isScreen = source === Track.Source.ScreenShare
  const isSpeaking = useIsSpeaking(participant)
  const isPictureOff = useIsMuted(track)
  const isMuted = useIsMuted({ participant, source: Track.Source.Microphone })
  const { quality } = useConnectionQualityIndicator({ participant })
  const callParticipant = callParticipants.get(participant.identity)
  const ownName = participant.name || callParticipant?.name || ''
  const name = isScreen
    ? t('live.screenOf', { name: ownName })
    : participant.isLocal
      ? t('live.you', { name: ownName })
      : ownName
  const hasPicture = isTrackReference(track) && !isPictureOff

  return (
    <figure
      ref={frame}
      className={classes.tile}
      style={size}
      aria-label={name}
      data-speaking={isSpeaking && !isScreen}
      data-screen={isScreen}
      data-participant={participant.identity}
    >
      {hasPicture ? (
        <VideoTrack
          trackRef={track}
          className={classes.picture}
          data-mirrored={participant.isLocal && !isScreen}
          aria-hidden
        />
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
        {isPinned && (
          <span className={classes.pinned} role="img" aria-label={t('live.pinned')}>
            <IconPinFilled size={18} aria-hidden />
          </span>
        )}
        {!isScreen && <Quality quality={quality} />}
      </div>
      <div className={classes.actions}>
        {isScreen && document.fullscreenEnabled && (
          <Action
            label={t('live.fullScreen')}
            icon={<IconMaximize size={18} aria-hidden />}
            onClick={() => frame.current?.requestFullscreen()}
          />
        )}
        <Action
          label={t(isPinned ? 'live.unpin' : 'live.pin')}
          icon={isPinned ? <IconPinnedOff size={18} aria-hidden /> : <IconPin size={18} aria-hidden />}
          aria-pressed={isPinned}
          onClick={onPin}
        />
      </div>
    </figure>
  )
}
