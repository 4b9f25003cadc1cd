import { type ReactNode, useId } from 'react'
import classes from './host.module.css'

interface SectionProps {
  title: string
  /** Beside the title: what concerns all of it. */
  action?: ReactNode
  children: ReactNode
}

/** One subject of the host panel. */
export const Section = ({ title, action, children }: SectionProps) => {
  const id = useId()
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.title}>
        <h3 id={id}>{title}</h3>
        {action}
      </div>
      {children}
    </section>
  )
}
