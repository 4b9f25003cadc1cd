const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')
/** Whether `isoTime` can write it as others read it, with a year of four digits. NaN is no time. */
export const isTime = (milliseconds: number) => milliseconds >= FIRST_TIME && milliseconds <= LAST_TIME

export const DAY_MS = 24 * 60 * 60 * 1000
let day = Number.NaN
let date = ''
const digits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/** As `toISOString` writes it, in a tenth of the time: most of what is listed together is of one day. */
export const isoTime = (milliseconds: number): string => {
  const dayOf = Math.floor(milliseconds / DAY_MS)
  if (dayOf !== day) {
    date = new Date(dayOf * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length)
    day = dayOf
  }
  const time = Math.floor(milliseconds - dayOf * DAY_MS)
  const [hours, minutes, seconds] = [time / 3_600_000, (time / 60_000) % 60, (time / 1000) % 60]
  const clock = `${digits[Math.floor(hours)]}:${digits[Math.floor(minutes)]}:${digits[Math.floor(seconds)]}`
  return `${date}${clock}.${String(time % 1000).padStart(3, '0')}Z`
}
export const isoTimeOrNull = (milliseconds: number | null) => (milliseconds === null ? null : isoTime(milliseconds))
