import { statSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { folderStorage } from '../../../server/recording/folder.ts'
import { createFragments } from '../../../server/recording/fragments.ts'
import { createPlaces } from '../../../server/recording/places.ts'
import { createSegments } from '../../../server/streaming/segments.ts'
import { callsByHand } from '../../support/calls.ts'
import { startLectern } from '../../support/lectern.ts'
import { temporaryFolder } from '../../support/process.ts'
import { recorderByHand } from '../../support/recorder.ts'
import { streamerByHand } from '../../support/streamer.ts'

test('a stream goes on after a restart, behind a gap', async () => {
  const hand = streamerByHand()
  const [data, options] = [temporaryFolder(), { streamer: hand.streamer, recorder: recorderByHand().recorder }]
  const start = () => startLectern({ LECTERN_DATA: data, LECTERN_CALL_GRACE: '3600' }, options)
  const first = await start()
  const { id: spaceId } = await first.operator.createSpaces({ name: 'Space' })
  const { id: roomId } = await first.operator.createRooms({ spaceId, name: 'Room' })
  const at = { spaceId, roomId }
  const byHand = await callsByHand(first)
  await byHand.tell('joined', roomId, await byHand.join(roomId, { userId: first.operator.id }))
  const { id: callId } = await first.operator.getLiveCall(at)
  await first.operator.startStream({ ...at, url: 'rtmp://live.example.com/app/key' })
  const untilGoing = () => vi.waitFor(() => expect(hand.going.has(callId)).toBe(true), 10_000)
  await untilGoing()
  await hand.add(callId, 'before')
  await first.stop()
  expect(hand.going.size).toBe(0)

  const second = await start()
  await untilGoing()
  expect(hand.going.get(callId)?.url).toBe('rtmp://live.example.com/app/key')
  await hand.add(callId, 'after')
  const { playlistUrl } = await second.operator.watchStream(at)
  const lines = (
    await (await fetch(new URL(new URL(playlistUrl).pathname + new URL(playlistUrl).search, second.url))).text()
  )
    .split('\n')
    .slice(6)
    .map(line => line.replace(/^\S*\/(\d+\.ts)\?.*$/, '$1'))
  expect(lines).toEqual(['#EXTINF:2.000,', '0.ts', '#EXT-X-DISCONTINUITY', '#EXTINF:2.000,', '1.ts', ''])
})

test('a segment is taken over from another disk, too', async () => {
  const [elsewhere, folder] = [await mkdtemp('/dev/shm/lectern-test-'), temporaryFolder()]
  onTestFinished(() => rm(elsewhere, { recursive: true }))
  expect(statSync(elsewhere).dev).not.toBe(statSync(tmpdir()).dev)
  const file = join(elsewhere, 'segment')
  await writeFile(file, 'segment')
  const storage = folderStorage(folder)
  const place = await storage.keep('id', file, 'ts', AbortSignal.timeout(1000))
  expect(place).toBe(storage.placeOf('id', 'ts'))
  expect(await readFile(join(folder, place), 'utf8')).toBe('segment')
  expect([await readdir(elsewhere), await readdir(folder)]).toEqual([[], [place]])
})

test('segments are read once, as long as there is room for them', async () => {
  const storage = folderStorage(temporaryFolder())
  const open = vi.spyOn(storage, 'open')
  const read = createSegments(storage, 25)
  for (const id of ['one', 'two', 'three']) {
    const file = join(temporaryFolder(), id)
    await writeFile(file, `segment ${id}`)
    await storage.keep(id, file, 'ts', AbortSignal.timeout(1000))
  }
  const texts = await Promise.all(['one.ts', 'one.ts', 'two.ts'].map(async place => String(await read(place))))
  expect(texts).toEqual(['segment one', 'segment one', 'segment two'])
  expect(open).toHaveBeenCalledTimes(2)
  // The oldest makes room.
  await read('three.ts')
  await read('two.ts')
  expect(open).toHaveBeenCalledTimes(3)
  await read('one.ts')
  expect(open).toHaveBeenCalledTimes(4)
  // What is not there yet may be there later.
  expect([await read('four.ts'), await read('four.ts')]).toEqual([null, null])
  expect(open).toHaveBeenCalledTimes(6)
})

test('an MP4 that comes in any pieces is cut into what can be played', () => {
  const box = (type: string, content: string) => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(8 + content.length)
    return Buffer.concat([head, Buffer.from(type + content)])
  }
  const init = Buffer.concat([box('ftyp', 'a'), box('moov', 'bc')])
  const fragments = ['one', 'another'].map(text => Buffer.concat([box('moof', text), box('mdat', text)]))
  const all = Buffer.concat([init, ...fragments, box('mfra', 'x'), box('moof', 'unfinished')])
  for (const size of [1, 5, all.length]) {
    const cut: Buffer[] = []
    const take = createFragments({ onInit: data => cut.push(data), onFragment: data => cut.push(data) })
    for (let from = 0; from < all.length; from += size) take(all.subarray(from, from + size))
    expect(cut).toEqual([init, ...fragments])
  }
  const nothing = createFragments({ onInit: () => {}, onFragment: () => {} })
  expect(() => nothing(Buffer.from('This is no MP4'))).toThrow('no MP4')
})

test('a call that is recorded and streamed takes one place', () => {
  const places = createPlaces(1)
  const [recording, streaming] = [places.take('a'), places.take('a')]
  expect([places.isFree('a'), places.isFree('b'), places.take('b')]).toEqual([true, false, null])
  recording?.()
  recording?.()
  expect(places.isFree('b')).toBe(false)
  streaming?.()
  expect(places.isFree('b')).toBe(true)
})
