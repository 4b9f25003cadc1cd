import { isTrackReference, type TrackReferenceOrPlaceholder } from '@livekit/components-react'
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconMaximize, IconPictureInPicture, IconPin, IconPinnedOff, IconStar, IconStarOff } from '@tabler/icons-react'
import { type ComponentProps, type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import { useModeration } from './moderation.ts'
import { Picture, usePicture } from './Picture.tsx'
import { canFloat, showInWindow } from './pictureInPicture.ts'
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

/** A picture of the stage, with what one can do with it. */
export const Tile = ({ track, isPinned, onPin, size, actions }: TileProps) => {
  const { t } = useTranslation()
  const { isModerator, say } = useLive()
  const { spotlight } = useModeration()
  const { isScreen, kind, isSpotlit, hasPicture } = usePicture(track)
  const frame = useRef<HTMLElement>(null)
  const { participant } = track
  const shown = isTrackReference(track) ? track.publication.track : undefined

  return (
    <Picture track={track} isPinned={isPinned} ref={frame} {...(size && { size })}>
      <div className={classes.actions}>
        {actions}
        {isModerator && (
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
    </Picture>
  )
}
