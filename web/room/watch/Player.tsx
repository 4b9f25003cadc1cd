import { Button, Loader, Text } from '@mantine/core'
import { useFullscreenElement } from '@mantine/hooks'
import {
  IconMaximize,
  IconMinimize,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconVolume,
  IconVolumeOff,
} from '@tabler/icons-react'
import { type ComponentProps, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWakefulScreen } from '../live/wake.ts'
import { usePlayback } from './playback.ts'
import classes from './watch.module.css'

interface PlayerProps {
  /** Its path. */
  playlist: string
  label: string
  /** There is no more of it for this person. */
  onGone: () => void
  onUnsupported: () => void
}

const ICON = 22

const Control = ({ label, children, ...props }: { label: string; children: ReactNode } & ComponentProps<'button'>) => (
  <button type="button" className={classes.control} aria-label={label} title={label} {...props}>
    {children}
  </button>
)

/** How loud it is, as the video itself has it. */
const useVolume = (screen: RefObject<HTMLVideoElement | null>) => {
  const [volume, setVolume] = useState(1)
  useEffect(() => {
    const video = screen.current
    const read = () => video && setVolume(video.muted ? 0 : video.volume)
    video?.addEventListener('volumechange', read)
    return () => video?.removeEventListener('volumechange', read)
  }, [screen])
  return {
    volume,
    change(to: number) {
      if (!screen.current) return
      screen.current.volume = to
      screen.current.muted = to === 0
    },
    toggle() {
      if (!screen.current) return
      const isSilent = volume === 0
      // It was turned down to nothing.
      if (isSilent && screen.current.volume === 0) screen.current.volume = 1
      screen.current.muted = !isSilent
    },
  }
}

/** Phones show the video alone, without what is around it. */
const useFullScreen = (screen: RefObject<HTMLVideoElement | null>) => {
  const { ref, toggle, fullscreen } = useFullscreenElement<HTMLDivElement>()
  const video = screen.current as (HTMLVideoElement & { webkitEnterFullscreen?: () => void }) | null
  return {
    frame: ref,
    isFull: fullscreen,
    toggle: () => (document.fullscreenEnabled ? void toggle() : video?.webkitEnterFullscreen?.()),
  }
}

const isControl = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('button, a, input, select, textarea, [role="menu"]') !== null

/** By the place of the key: the letters of another alphabet work as well. */
const useKeys = (actions: Record<string, () => void>) => {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      // There it presses what is focused.
      if (event.code === 'Space' && isControl(event.target)) return
      const action = current.current[event.code]
      if (!action) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** The live stream, with what can be done about it. */
export const Player = ({ playlist, label, onGone, onUnsupported }: PlayerProps) => {
  const { t } = useTranslation()
  const screen = useRef<HTMLVideoElement>(null)
  const playback = usePlayback(screen, playlist, { onGone, onUnsupported })
  const { isPaused, isLoading, isBlocked, isReached, isBehind } = playback
  const { volume, ...sound } = useVolume(screen)
  const fullScreen = useFullScreen(screen)
  useKeys({ Space: playback.toggle, KeyK: playback.toggle, KeyM: sound.toggle, KeyF: fullScreen.toggle })
  useWakefulScreen()
  const isStopped = isPaused || isBlocked
  const isLive = !isStopped && !isBehind
  return (
    <div className={classes.frame} ref={fullScreen.frame}>
      <div className={classes.screen}>
        {/* biome-ignore lint/a11y/useMediaCaption: what is said is live, and nobody writes it down */}
        <video ref={screen} className={classes.video} aria-label={label} playsInline onClick={playback.toggle} />
        <div className={classes.over}>
          {isBlocked ? (
            <Button
              size="xl"
              radius="xl"
              leftSection={<IconPlayerPlayFilled size={28} aria-hidden />}
              onClick={() => void playback.play()}
            >
              {t('watch.play')}
            </Button>
          ) : (
            isLoading && !isPaused && <Loader color="white" aria-label={t('watch.loading')} />
          )}
        </div>
        <div role="status" className={classes.notes}>
          {!isReached && <Text size="sm">{t('watch.lost')}</Text>}
        </div>
      </div>
      <div className={classes.bar}>
        <Control label={t(isStopped ? 'watch.play' : 'watch.pause')} onClick={playback.toggle}>
          {isStopped ? (
            <IconPlayerPlayFilled size={ICON} aria-hidden />
          ) : (
            <IconPlayerPauseFilled size={ICON} aria-hidden />
          )}
        </Control>
        <Control label={t(volume === 0 ? 'watch.unmute' : 'watch.mute')} onClick={sound.toggle}>
          {volume === 0 ? <IconVolumeOff size={ICON} aria-hidden /> : <IconVolume size={ICON} aria-hidden />}
        </Control>
        <input
          type="range"
          className={classes.volume}
          aria-label={t('watch.volume')}
          min={0}
          max={1}
          step={0.05}
          value={volume}
          onChange={event => sound.change(event.currentTarget.valueAsNumber)}
        />
        <span className={classes.badge} data-live={isLive}>
          {t(isPaused ? 'watch.paused' : 'watch.live')}
        </span>
        <span className={classes.space} />
        {!isBlocked && isBehind && (
          <Button size="compact-md" variant="white" onClick={playback.toLive}>
            {t('watch.toLive')}
          </Button>
        )}
        <Control label={t(fullScreen.isFull ? 'watch.exitFullScreen' : 'live.fullScreen')} onClick={fullScreen.toggle}>
          {fullScreen.isFull ? <IconMinimize size={ICON} aria-hidden /> : <IconMaximize size={ICON} aria-hidden />}
        </Control>
      </div>
    </div>
  )
}
