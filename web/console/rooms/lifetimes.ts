const HOUR = 3600
const DAY = 24 * HOUR

/** How long a new link is valid, in seconds. */
export const lifetimes = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY }
export type Lifetime = keyof typeof lifetimes
