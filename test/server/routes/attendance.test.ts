import { inflateRawSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { callsByHand } from '../../support/calls.ts'
import { tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'

/* Attendance by people: stays of one person through several tabs, devices and links are one person's. */

let lectern: Lectern
let owner: Person
let byHand: Awaited<ReturnType<typeof callsByHand>>
let at: { spaceId: string; roomId: string }
let callId: string

const ROOM = 'Физика: 7 «Б» / "A"'
const START = Date.parse('2026-03-02T09:00:00Z')
const minute = (n: number) => START + n * 60_000
const iso = (n: number) => new Date(minute(n)).toISOString()

const guestsOf = async (link: { username?: string; externalUserId?: string }) => {
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', isPermanent: true, ...link }))
  return async () => (await lectern.anonymous.redeemAccess({ accessToken, participantName: 'Guest' })).guestId
}

let count = 0
/** Was in the call from one minute to another, through this tab. */
const stayed = async (
  who: { userId: string } | { guestId: string },
  tabKey: string,
  from: number,
  to: number,
  externalUserId: string | null = null,
) => {
  const { participantId } = await byHand.join(at.roomId, who, externalUserId, tabKey)
  const presence = {
    participantId,
    connectionId: `stay ${++count} of ${callId}`,
    joinedAt: minute(from),
    rights: null,
    name: '',
  }
  await byHand.tell('joined', at.roomId, presence)
  await byHand.tell('left', at.roomId, presence, minute(to))
}

beforeAll(async () => {
  lectern = await startLectern()
  owner = await lectern.user('Teacher')
  byHand = await callsByHand(lectern)
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  at = { spaceId, roomId: (await owner.createRooms({ spaceId, name: ROOM })).id }

  await stayed({ userId: owner.id }, 'tab-0001', 0, 30)
  await stayed({ userId: owner.id }, 'tab-0002', 20, 45)
  await stayed({ userId: owner.id }, 'tab-0001', 50, 60)
  // One pupil by two links: there is a minute between the stays, and another inside the first.
  const [first, second] = [await guestsOf({ externalUserId: 'pupil7' }), await guestsOf({ externalUserId: 'pupil7' })]
  await stayed({ guestId: await second() }, 'tab-0004', 21, 30, 'pupil7')
  await stayed({ guestId: await first() }, 'tab-0003', 10, 20, 'pupil7')
  await stayed({ guestId: await first() }, 'tab-0005', 12, 15, 'pupil7')
  // Two who came by one link for everybody, one of them in two tabs.
  const anyone = await guestsOf({})
  const guestId = await anyone()
  await stayed({ guestId }, 'tab-0006', 30, 31)
  await stayed({ guestId }, 'tab-0007', 31, 32)
  await stayed({ guestId: await anyone() }, 'tab-0006', 32, 33)
  const named = await (await guestsOf({ username: '=1+1 "Ann"' }))()
  await byHand.db.updateTable('guests').set({ name: 'Annie' }).where('id', '=', named).execute()
  await stayed({ guestId: named }, 'tab-0008', 40, 41)
  callId = (await owner.getLiveCall(at)).id
  await owner.endCall(at)
})

const stay = (from: number, to: number) => ({ joinedAt: iso(from), leftAt: iso(to) })

test('counts people, and what overlaps once', async () => {
  const { people, items } = await owner.getAttendance({ ...at, callId })
  const guest = { userId: null, externalUserId: null, name: 'Guest', role: 'user' }
  expect(people).toEqual([
    {
      userId: owner.id,
      externalUserId: null,
      name: 'Teacher',
      role: 'moderator',
      firstJoinedAt: iso(0),
      lastLeftAt: iso(60),
      seconds: 55 * 60,
      stays: [stay(0, 45), stay(50, 60)],
    },
    {
      ...guest,
      externalUserId: 'pupil7',
      firstJoinedAt: iso(10),
      lastLeftAt: iso(30),
      seconds: 19 * 60,
      stays: [stay(10, 20), stay(21, 30)],
    },
    { ...guest, firstJoinedAt: iso(30), lastLeftAt: iso(32), seconds: 120, stays: [stay(30, 32)] },
    { ...guest, firstJoinedAt: iso(32), lastLeftAt: iso(33), seconds: 60, stays: [stay(32, 33)] },
    {
      ...guest,
      name: 'Annie',
      linkName: '=1+1 "Ann"',
      firstJoinedAt: iso(40),
      lastLeftAt: iso(41),
      seconds: 60,
      stays: [stay(40, 41)],
    },
  ])
  // Each participant for itself, as before.
  expect(items).toHaveLength(9)
  expect(await owner.getSpaceAttendance({ spaceId: at.spaceId, callId })).toEqual({ people, items })
})

const download = async (format: 'csv' | 'xlsx') => {
  const path = `/v1/spaces/${at.spaceId}/rooms/${at.roomId}/calls/${callId}/attendance?format=${format}`
  const response = await fetch(lectern.url + path, { headers: { authorization: `Bearer ${owner.token}` } })
  const disposition = response.headers.get('content-disposition') ?? ''
  const [, name = ''] = /filename\*=UTF-8''(\S+)$/.exec(disposition) ?? []
  return { disposition, name: decodeURIComponent(name), content: Buffer.from(await response.arrayBuffer()) }
}

test('as CSV has a row for each person, with dates a spreadsheet reads, and the name of the room', async () => {
  const { disposition, name, content } = await download('csv')
  expect(name).toBe('attendance-2026-03-02-Физика 7 «Б» A.csv')
  expect(disposition).toMatch(/^attachment; filename="attendance-2026-03-02-[_ 7A]+\.csv"; filename\*=/)
  const [header, ...rows] = content.toString().trimEnd().split('\r\n')
  expect(header).toBe(
    '\uFEFF"Room","Name","Name on the link","Role","User ID","External user ID","First joined (UTC)","Last left (UTC)","Total","Stays"',
  )
  const room = `"${ROOM.replaceAll('"', '""')}"`
  expect(rows).toEqual([
    `${room},"Teacher","","Moderator","${owner.id}","","2026-03-02 09:00:00","2026-03-02 10:00:00","0:55:00","2"`,
    `${room},"Guest","","Participant","","pupil7","2026-03-02 09:10:00","2026-03-02 09:30:00","0:19:00","2"`,
    `${room},"Guest","","Participant","","","2026-03-02 09:30:00","2026-03-02 09:32:00","0:02:00","1"`,
    `${room},"Guest","","Participant","","","2026-03-02 09:32:00","2026-03-02 09:33:00","0:01:00","1"`,
    `${room},"Annie","'=1+1 ""Ann""","Participant","","","2026-03-02 09:40:00","2026-03-02 09:41:00","0:01:00","1"`,
  ])
})

/** The files of a zip archive, by name. */
const unzip = (archive: Buffer) => {
  const files: Record<string, string> = {}
  const end = archive.lastIndexOf('PK\x05\x06')
  let entry = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extra, comment] = [28, 30, 32].map(offset => archive.readUInt16LE(entry + offset))
    const local = archive.readUInt32LE(entry + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const packed = archive.subarray(start, start + archive.readUInt32LE(entry + 20))
    const name = archive.subarray(entry + 46, entry + 46 + (nameLength ?? 0)).toString()
    files[name] = (archive.readUInt16LE(entry + 10) === 8 ? inflateRawSync(packed) : packed).toString()
    entry += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return files
}

test('as XLSX has a sheet of people and one of every stay, with real dates', async () => {
  const { name, content } = await download('xlsx')
  expect(name).toBe('attendance-2026-03-02-Физика 7 «Б» A.xlsx')
  const files = unzip(content)
  expect([...(files['xl/workbook.xml'] ?? '').matchAll(/<sheet [^>]*name="(\w+)"/g)].map(([, sheet]) => sheet)).toEqual(
    ['People', 'Stays'],
  )
  const rowsOf = (sheet: number) => files[`xl/worksheets/sheet${sheet}.xml`]?.match(/<row .*?<\/row>/g) ?? []
  expect([rowsOf(1).length, rowsOf(2).length]).toEqual([1 + 5, 1 + 7])
  // Days since the end of 1899, as numbers, under a format of dates.
  const joined = START / 86_400_000 + 25_569
  const [, style] = new RegExp(`<c r="G2" s="(\\d+)"[^>]*><v>${joined}</v>`).exec(rowsOf(1)[1] ?? '') ?? []
  expect(style).toBeDefined()
  const formats = files['xl/styles.xml'] ?? ''
  const used = formats.split('<cellXfs')[1]?.match(/<xf [^>]*>/g)?.[Number(style)]
  const [, numFmtId] = /numFmtId="(\d+)"/.exec(used ?? '') ?? []
  expect(formats).toContain(`<numFmt numFmtId="${numFmtId}" formatCode="yyyy-mm-dd hh:mm:ss"/>`)
  expect(rowsOf(2)[1]).toContain(`<v>${joined}</v>`)
  expect(JSON.stringify(files)).not.toContain('<f>')
})
