import type { ReactNode } from 'react'
import classes from './StateMark.module.css'

export type Tone = 'good' | 'bad' | 'busy' | 'quiet'

/** A state in words; the colour before it only helps the eye. */
export const StateMark = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={classes.state}>
    <span className={classes.dot} data-tone={tone} aria-hidden />
    {children}
  </span>
)
