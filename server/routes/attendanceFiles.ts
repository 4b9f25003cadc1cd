import type { PastPerson } from '../../contract/calls.ts'
import { csvHead, csvRow } from '../csv.ts'

/* Files for people: a spreadsheet knows no time zones, so that times are in UTC and say so. */

/** In seconds. */
class Duration {
  readonly seconds: number
  constructor(seconds: number) {
    this.seconds = seconds
  }
}

type Cell = string | number | Date | Duration

interface Sheet {
  name: string
  header: string[]
  rows: Cell[][]
}

const roles = { user: 'Participant', moderator: 'Moderator' }

const dateOrEmpty = (time: string | null) => (time === null ? '' : new Date(time))

const peopleSheet = (people: PastPerson[], roomName: string): Sheet => ({
  name: 'People',
  header: [
    'Room',
    'Name',
    'Name on the link',
    'Role',
    'User ID',
    'External user ID',
    'First joined (UTC)',
    'Last left (UTC)',
    'Total',
    'Stays',
  ],
  rows: people.map(person => [
    roomName,
    person.name,
    person.linkName ?? '',
    roles[person.role],
    person.userId ?? '',
    person.externalUserId ?? '',
    new Date(person.firstJoinedAt),
    dateOrEmpty(person.lastLeftAt),
    new Duration(person.seconds),
    person.stays.length,
  ]),
})

const lengthOf = ({ joinedAt, leftAt }: PastPerson['stays'][number]) =>
  leftAt === null ? '' : new Duration(Math.round((Date.parse(leftAt) - Date.parse(joinedAt)) / 1000))

const staysSheet = (people: PastPerson[], roomName: string): Sheet => ({
  name: 'Stays',
  header: ['Room', 'Name', 'User ID', 'External user ID', 'Joined (UTC)', 'Left (UTC)', 'Time in call'],
  rows: people.flatMap(({ name, userId, externalUserId, stays }) =>
    stays.map(stay => [
      roomName,
      name,
      userId ?? '',
      externalUserId ?? '',
      new Date(stay.joinedAt),
      dateOrEmpty(stay.leftAt),
      lengthOf(stay),
    ]),
  ),
})

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** As spreadsheets read dates and times from a text. */
const textOf = (cell: Cell) => {
  if (cell instanceof Date) return cell.toISOString().slice(0, 19).replace('T', ' ')
  if (!(cell instanceof Duration)) return cell
  const minutes = Math.floor(cell.seconds / 60)
  return [Math.floor(minutes / 60), twoDigits(minutes % 60), twoDigits(cell.seconds % 60)].join(':')
}

export const attendanceCsv = (people: PastPerson[], roomName: string): string => {
  const { header, rows } = peopleSheet(people, roomName)
  return csvHead(header) + rows.map(row => csvRow(row.map(textOf))).join('')
}

const DAY_SECONDS = 24 * 60 * 60
/** Of a column, in characters. */
const WIDTH = { least: 10, most: 40, time: 20 }

const xlsxCell = (cell: Cell) => {
  if (cell instanceof Date) return { type: Date, value: cell, format: 'yyyy-mm-dd hh:mm:ss' }
  if (cell instanceof Duration) return { type: Number, value: cell.seconds / DAY_SECONDS, format: '[h]:mm:ss' }
  if (typeof cell === 'number') return { type: Number, value: cell }
  // What XML cannot hold would make the whole file unreadable.
  return { type: String, value: cell.replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '') }
}

const widthOf = (cell: Cell) => (typeof cell === 'string' ? cell.length + 2 : WIDTH.time)

const xlsxSheet = ({ name, header, rows }: Sheet) => ({
  sheet: name,
  stickyRowsCount: 1,
  columns: header.map((head, column) => {
    const widest = rows.reduce((width, row) => Math.max(width, widthOf(row[column] ?? '')), widthOf(head))
    return { width: Math.min(Math.max(widest, WIDTH.least), WIDTH.most) }
  }),
  data: [
    header.map(head => ({ type: String, value: head, fontWeight: 'bold' as const })),
    ...rows.map(row => row.map(xlsxCell)),
  ],
})

export const attendanceXlsx = async (people: PastPerson[], roomName: string): Promise<Buffer> => {
  // Loaded here: few ask for it.
  const { default: writeXlsxFile } = await import('write-excel-file/node')
  return writeXlsxFile([peopleSheet, staysSheet].map(sheetOf => xlsxSheet(sheetOf(people, roomName)))).toBuffer()
}
