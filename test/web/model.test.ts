import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withMetadata } from '../../web/room/live/background/model.ts'

/** What a field of a FlatBuffers table refers to. */
const follow = (data: DataView, table: number, field: number) => {
  const vtable = table - data.getInt32(table, true)
  const at = table + data.getUint16(vtable + 4 + 2 * field, true)
  return at + data.getUint32(at, true)
}
const item = (data: DataView, list: number, n: number) => {
  const at = list + 4 + 4 * n
  return at + data.getUint32(at, true)
}

test('the model gets the metadata that MediaPipe asks for, and keeps its own buffers', () => {
  const file = readFileSync('node_modules/@mediapipe/selfie_segmentation/selfie_segmentation.tflite')
  const plain = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer
  const bytes = withMetadata(plain)
  const [before, after] = [new DataView(plain), new DataView(bytes.buffer)]
  const [oldRoot, root] = [before.getUint32(0, true), after.getUint32(0, true)]
  expect(Buffer.from(bytes.subarray(4, 8)).toString()).toBe('TFL3')

  const [oldBuffers, buffers] = [follow(before, oldRoot, 4), follow(after, root, 4)]
  const count = before.getUint32(oldBuffers, true)
  expect(after.getUint32(buffers, true)).toBe(count + 1)
  const moved = bytes.length - plain.byteLength
  for (let n = 0; n < count; n++) expect(item(after, buffers, n)).toBe(item(before, oldBuffers, n) + moved)

  const entry = item(after, follow(after, root, 6), 0)
  const name = follow(after, entry, 0)
  expect(Buffer.from(bytes.subarray(name + 4, name + 4 + 15)).toString()).toBe('TFLITE_METADATA')
  const metadata = follow(after, item(after, buffers, count), 0)
  expect(Buffer.from(bytes.subarray(metadata + 8, metadata + 12)).toString()).toBe('M001')
  // Read where it stands, by programs that need it aligned.
  expect((metadata + 4) % 16).toBe(0)
  expect(moved % 16).toBe(0)
})
