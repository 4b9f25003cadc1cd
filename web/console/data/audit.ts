import type { AuditAction } from '../../../contract/actions.ts'
import type { AuditEntry } from '../../../contract/audit.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'

export interface AuditFilter {
  action?: AuditAction
  actorId?: string
  from?: string
  to?: string
}

/** Of one space, or for the operator of all. */
export const useAudit = (spaceId: string | undefined, filter: AuditFilter) =>
  usePages<AuditEntry>(['audit', spaceId ?? '', filter], query =>
    spaceId === undefined
      ? api.listAudit({ ...filter, ...query })
      : api.listSpaceAudit({ spaceId, ...filter, ...query }),
  )

/** All that matches, as a file to download: the session's cookie goes with it. */
export const auditFile = (spaceId: string | undefined, filter: AuditFilter) => {
  const path = spaceId === undefined ? '/v1/operator/audit' : `/v1/spaces/${encodeURIComponent(spaceId)}/audit`
  return `${path}?${new URLSearchParams({ ...filter, format: 'csv' })}`
}
