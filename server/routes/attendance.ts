import type { PastParticipant } from '../../contract/calls.ts'
import { csvHead, csvRow } from '../csv.ts'
import type { Row } from '../store/tables.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'

/** One entry for each participant, with all their stays in the call. */
export const attendanceOf = (stays: Row<'stays'>[], now: number): PastParticipant[] => {
  const participants = new Map<string, PastParticipant>()
  // The engine's events may have come out of order.
  for (const stay of stays.toSorted((one, other) => one.joinedAt - other.joinedAt)) {
    const { participantId, userId, externalUserId, name, role, joinedAt, leftAt } = stay
    const participant = participants.get(participantId) ?? {
      participantId,
      userId,
      externalUserId,
      name,
      role,
      stays: [],
      totalSeconds: 0,
    }
    participants.set(participantId, participant)
    participant.role = role
    participant.stays.push({ joinedAt: isoTime(joinedAt), leftAt: isoTimeOrNull(leftAt) })
    participant.totalSeconds += Math.round(((leftAt ?? now) - joinedAt) / 1000)
  }
  return [...participants.values()]
}

const header = ['Name', 'Role', 'User id', 'External user id', 'Joined', 'Left', 'Seconds']

/** A row for each stay. */
const rowsOf = (participants: PastParticipant[]) =>
  participants.flatMap(({ name, role, userId, externalUserId, stays }) =>
    stays.map(({ joinedAt, leftAt }) => [
      name,
      role,
      userId ?? '',
      externalUserId ?? '',
      joinedAt,
      leftAt ?? '',
      leftAt === null ? '' : Math.round((Date.parse(leftAt) - Date.parse(joinedAt)) / 1000),
    ]),
  )

export const attendanceCsv = (participants: PastParticipant[]): string =>
  csvHead(header) + rowsOf(participants).map(csvRow).join('')

/** What XML cannot hold would make the whole file unreadable. */
const xlsxCell = (value: string | number) =>
  typeof value === 'number'
    ? { type: Number, value }
    : { type: String, value: value.replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '') }

export const attendanceXlsx = async (participants: PastParticipant[]): Promise<Buffer> => {
  // Loaded here: few ask for it.
  const { default: writeXlsxFile } = await import('write-excel-file/node')
  const bold = header.map(value => ({ ...xlsxCell(value), fontWeight: 'bold' as const }))
  return writeXlsxFile([bold, ...rowsOf(participants).map(row => row.map(xlsxCell))]).toBuffer()
}
