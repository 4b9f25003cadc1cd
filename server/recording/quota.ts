import type { Config } from '../config.ts'

/** Bytes that the recordings of a space may take; null: no limit. */
export const quotaOf = ({ recordQuotaGb }: Pick<Config, 'recordQuotaGb'>) =>
  recordQuotaGb === null ? null : recordQuotaGb * 1e9
