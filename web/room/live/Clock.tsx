import { createContext, useContext, useEffect, useState } from 'react'
import { useLive } from './context.ts'
import classes from './live.module.css'

const two = (number: number) => String(number).padStart(2, '0')

/** When the call began, by the person's own clock. */
export const StartContext = createContext<number | null>(null)

/** A moment of the call, by the person's own clock. */
export const useSinceStart = (time: string | null): number | null => {
  const start = useContext(StartContext)
  const { call } = useLive()
  return start === null || !call || time === null ? null : start + Date.parse(time) - Date.parse(call.startedAt)
}

/** How long it is since then. */
export const Elapsed = ({ since }: { since: number | null }) => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  if (since === null) return null
  const seconds = Math.max(0, Math.floor((now - since) / 1000))
  const hours = Math.floor(seconds / 3600)
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

/** How long the call has been going on. */
export const Clock = () => (
  <span className={classes.clock} role="timer">
    <Elapsed since={useContext(StartContext)} />
  </span>
)
