const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')
/** Whether `isoTime` can write it as others read it, with a year of four digits. NaN is no time. */
export const isTime = (milliseconds: number) => milliseconds >= FIRST_TIME && milliseconds <= LAST_TIME
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
export const isoTimeOrNull = (milliseconds: number | null) => (milliseconds === null ? null : isoTime(milliseconds))
