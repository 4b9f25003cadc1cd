export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
export const isoTimeOrNull = (milliseconds: number | null) => (milliseconds === null ? null : isoTime(milliseconds))
