import { Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import classes from '../live.module.css'

/** Of the bar, and of its menus. */
export const ICON = 22
export const MENU_ICON = 18

interface ControlProps extends Omit<ComponentPropsWithRef<'button'>, 'children'> {
  icon: ReactNode
  label: string
  /** What pressing it does now, with its key. */
  hint?: string
  /** How it looks: `off` draws the eye to what others miss, `active` to what is going on; `held` can't be used. */
  look?: 'plain' | 'off' | 'active' | 'leave' | 'held'
  count?: number
  /** Something new, rather than just how many there are. */
  isNews?: boolean
  /** What the count says, for those who do not see it. */
  countText?: string
}

/** One button of the bar: what it is for stands below it, its state shows at a glance. */
export const Control = ({
  icon,
  label,
  hint,
  look = 'plain',
  count = 0,
  isNews = false,
  countText,
  className,
  ...rest
}: ControlProps) => (
  <Tooltip label={hint} disabled={!hint}>
    <UnstyledButton className={`${classes.control} ${className ?? ''}`} data-look={look} {...rest}>
      <span className={classes.symbol}>
        {icon}
        {count > 0 && (
          <span className={classes.count} data-news={isNews} aria-hidden>
            {count > 99 ? '99+' : count}
          </span>
        )}
      </span>
      <span className={classes.label}>{label}</span>
      {countText && <VisuallyHidden>{countText}</VisuallyHidden>}
    </UnstyledButton>
  </Tooltip>
)
