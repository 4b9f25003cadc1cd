import type { TrackReferenceOrPlaceholder } from '@livekit/components-react'
import { IconArrowsMove, IconEyeOff } from '@tabler/icons-react'
import { type CSSProperties, type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import classes from './stage.module.css'
import { Tile, TileAction } from './Tile.tsx'

/** Of the way from one edge of the stage to the other. */
const STEP = 0.1
const steps: Record<string, [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

/** As in the style sheet. */
const INSET = 8

interface Place {
  x: number
  y: number
}

const within = (value: number) => Math.min(1, Math.max(0, value))

/** The place in the stage, from 0 to 1 each way, so that it fits whatever the size. */
const useMoving = () => {
  const { place, change } = useLive().look
  const [dragged, setDragged] = useState<Place | null>(null)
  const start = useRef<{ x: number; y: number; place: Place } | null>(null)
  const shown = dragged ?? place

  return {
    shown,
    drag: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if ((event.target as Element).closest('button')) return
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { x: event.clientX, y: event.clientY, place: shown }
      },
      onPointerMove: ({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) => {
        const stage = currentTarget.offsetParent
        if (!start.current || !stage) return
        const free = {
          x: Math.max(1, stage.clientWidth - currentTarget.offsetWidth - 2 * INSET),
          y: Math.max(1, stage.clientHeight - currentTarget.offsetHeight - 2 * INSET),
        }
        setDragged({
          x: within(start.current.place.x + (clientX - start.current.x) / free.x),
          y: within(start.current.place.y + (clientY - start.current.y) / free.y),
        })
      },
      onPointerUp: () => {
        start.current = null
        if (dragged) change({ place: dragged })
        setDragged(null)
      },
      onPointerCancel: () => {
        start.current = null
        setDragged(null)
      },
    },
    onKeyDown: (event: KeyboardEvent) => {
      const step = steps[event.key]
      if (!step) return
      event.preventDefault()
      change({ place: { x: within(place.x + step[0]), y: within(place.y + step[1]) } })
    },
  }
}

interface SelfViewProps {
  track: TrackReferenceOrPlaceholder
  onPin: () => void
}

/** The person's own picture, over the stage: wherever it is moved to, by pointer or by keyboard. */
export const SelfView = ({ track, onPin }: SelfViewProps) => {
  const { t } = useTranslation()
  const { look } = useLive()
  const { shown, drag, onKeyDown } = useMoving()
  return (
    <div className={classes.floating} style={{ '--x': shown.x, '--y': shown.y } as CSSProperties} {...drag}>
      <Tile
        track={track}
        isPinned={false}
        onPin={onPin}
        actions={
          <>
            <TileAction
              label={t('live.self.move')}
              icon={<IconArrowsMove size={18} aria-hidden />}
              onKeyDown={onKeyDown}
            />
            <TileAction
              label={t('live.self.hide')}
              icon={<IconEyeOff size={18} aria-hidden />}
              onClick={() => look.change({ selfView: 'hidden' })}
            />
          </>
        }
      />
    </div>
  )
}
