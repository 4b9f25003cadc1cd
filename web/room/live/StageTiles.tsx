import type { TrackReferenceOrPlaceholder } from '@livekit/components-react'
import type { ReactNode, Ref } from 'react'
import { type Box, fitTiles } from './layout.ts'
import classes from './stage.module.css'
import { idOf } from './stageTracks.ts'

interface StageTilesProps {
  /** Before all others, which then stand beside it. */
  large: TrackReferenceOrPlaceholder[]
  shown: TrackReferenceOrPlaceholder[]
  tile: (track: TrackReferenceOrPlaceholder, size?: Box) => ReactNode
  /** The place of the grid, and how large it is. */
  boxRef: Ref<HTMLDivElement>
  box: Box
  isPaged?: boolean
  isAlone?: boolean
  children?: ReactNode
}

/** All alike in a grid, or something large and the others beside it. */
export const StageTiles = ({
  large,
  shown,
  tile,
  boxRef,
  box,
  isPaged = false,
  isAlone = false,
  children,
}: StageTilesProps) => {
  const isFocused = large.length > 0
  const size = fitTiles(shown.length, box)
  return (
    <div className={classes.stage} data-focused={isFocused} data-paged={isPaged} data-alone={isAlone}>
      {isFocused && <div className={classes.large}>{large.map(track => tile(track))}</div>}
      <div className={classes.rest} ref={isFocused ? undefined : boxRef} hidden={isFocused && shown.length === 0}>
        {isFocused ? (
          shown.map(track => (
            <div key={idOf(track)} className={classes.small}>
              {tile(track)}
            </div>
          ))
        ) : (
          <div className={classes.grid} style={{ maxWidth: size.columns * (size.width + 8) }}>
            {shown.map(track => tile(track, { width: size.width, height: size.height }))}
          </div>
        )}
      </div>
      {children}
    </div>
  )
}
