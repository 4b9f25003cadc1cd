import { useQuery } from '@tanstack/react-query'
import type { Record } from '../../../contract/records.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { renew } from './query.ts'

export type { Record } from '../../../contract/records.ts'

export interface RecordsOf {
  spaceId: string
  /** Id or alias. */
  roomId: string
  /** Only those of this call. */
  callId?: string
}

/** Looked at again and again: files are made while one waits for them. */
const LOOK_MS = 5000

export const useRecords = ({ spaceId, roomId, callId }: RecordsOf) =>
  usePages(
    ['records', spaceId, roomId, callId ?? ''],
    query => api.listRecords({ spaceId, roomId, ...(callId !== undefined && { callId }), ...query }),
    { refetchInterval: LOOK_MS },
  )

export const useRecordUsage = (spaceId: string, enabled: boolean) =>
  useQuery({ queryKey: ['records', spaceId, 'usage'], queryFn: () => api.getRecordUsage({ spaceId }), enabled })

const at = (spaceId: string, { roomId, id: recordId }: Record) => ({ spaceId, roomId, recordId })

/** Works for a while without a sign-in. */
export const linkTo = (spaceId: string, record: Record) => api.downloadRecord(at(spaceId, record))

export const deleteRecord = async (spaceId: string, record: Record) => {
  await api.deleteRecord(at(spaceId, record))
  await renew('records', spaceId)
}
