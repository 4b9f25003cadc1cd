import type { ReactNode } from 'react'
import classes from './Facts.module.css'

/** What is known of something, by name. */
export const Facts = ({ facts }: { facts: (readonly [name: string, value: ReactNode] | false)[] }) => (
  <dl className={classes.facts}>
    {facts
      .filter(fact => fact !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
