import { useEffect, useState } from 'react'
import classes from './live.module.css'

const two = (number: number) => String(number).padStart(2, '0')

/** How long the call has been going on. */
export const Clock = ({ since }: { since: number | null }) => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  if (since === null) return null
  const seconds = Math.max(0, Math.floor((now - since) / 1000))
  const hours = Math.floor(seconds / 3600)
  const text = `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return (
    <span className={classes.clock} role="timer">
      {text}
    </span>
  )
}
