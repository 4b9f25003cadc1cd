import { brokenUnique } from './failures.ts'

/* What other systems know our things by: `externalId`, unique within what each belongs to, and `metadata`. */

/** As it is stored; undefined stays as it is. */
export const metadataText = (metadata: Record<string, string> | undefined) => {
  if (metadata === undefined) return undefined
  return Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)
}

export const metadataFrom = ({ metadata }: { metadata: string | null }): Record<string, string> =>
  metadata === null ? {} : JSON.parse(metadata)

/** What writes an external id, unless `findOther` gives another row that has it. */
export const unlessTaken = async <T>(
  findOther: (() => Promise<unknown>) | null,
  write: () => Promise<T>,
): Promise<T | 'external_id_taken'> => {
  if (findOther && (await findOther())) return 'external_id_taken'
  try {
    return await write()
  } catch (error) {
    // On PostgreSQL another may have got it since we looked.
    if (!brokenUnique(error)?.endsWith('_external')) throw error
    return 'external_id_taken'
  }
}
