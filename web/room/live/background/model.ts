/*
 * The segmentation model as MediaPipe's tasks want it. The package has it without metadata, and without knowing how to
 * scale the pictures the tasks refuse it; so the missing part is written here. Both the model and its metadata are
 * FlatBuffers (schemas: tensorflow/compiler/mlir/lite/schema/schema.fbs and tflite-support/metadata/metadata_schema.fbs).
 */

/** Grows to the end. What is pointed at always follows, as the format requires. */
class Writer {
  #bytes = new DataView(new ArrayBuffer(64 * 1024))
  #end = 0

  get end() {
    return this.#end
  }
  align(size: number) {
    this.#end = Math.ceil(this.#end / size) * size
  }
  u8(value: number) {
    this.#bytes.setUint8(this.#end++, value)
  }
  u16(value: number) {
    this.#bytes.setUint16(this.#end, value, true)
    this.#end += 2
  }
  u32(value: number) {
    this.#bytes.setUint32(this.#end, value, true)
    this.#end += 4
  }
  f32(value: number) {
    this.#bytes.setFloat32(this.#end, value, true)
    this.#end += 4
  }
  text(value: string) {
    for (const byte of new TextEncoder().encode(value)) this.u8(byte)
  }
  raw(bytes: Uint8Array) {
    for (const byte of bytes) this.u8(byte)
  }
  /** Makes the reference at `from` point to what is written next, or to a place further on. */
  point(from: number, to = this.#end) {
    this.#bytes.setUint32(from, to - from, true)
  }
  set(at: number, value: number) {
    this.#bytes.setUint32(at, value, true)
  }
  /** A table with these fields, four bytes each; gives the place of each. */
  table<Field extends number>(fields: readonly Field[], from?: number): Record<Field, number> {
    this.align(4)
    const slots = Math.max(...fields) + 1
    const vtable = this.#end
    this.u16(4 + 2 * slots)
    this.u16(4 + 4 * fields.length)
    for (let slot = 0; slot < slots; slot++) {
      const place = fields.indexOf(slot as Field)
      this.u16(place < 0 ? 0 : 4 + 4 * place)
    }
    this.align(4)
    const table = this.#end
    if (from !== undefined) this.point(from)
    this.u32(table - vtable)
    for (const _ of fields) this.u32(0)
    return Object.fromEntries(fields.map((field, n) => [field, table + 4 + 4 * n])) as Record<Field, number>
  }
  /** A list of this many references; gives the place of each. */
  references(from: number, count: number): number[] {
    this.align(4)
    this.point(from)
    this.u32(count)
    return Array.from({ length: count }, () => {
      this.u32(0)
      return this.#end - 4
    })
  }
  bytes() {
    return new Uint8Array(this.#bytes.buffer, 0, this.#end)
  }
}

const NORMALIZATION_OPTIONS = 1

/** ModelMetadata: the samples of the input are divided by 255. */
const metadata = () => {
  const writer = new Writer()
  writer.u32(0)
  writer.text('M001')
  const model = writer.table([3], 0)
  const [subgraphAt = 0] = writer.references(model[3], 1)
  const subgraph = writer.table([2, 3], subgraphAt)
  const [inputAt = 0] = writer.references(subgraph[2], 1)
  const input = writer.table([4], inputAt)
  const [unitAt = 0] = writer.references(input[4], 1)
  const unit = writer.table([0, 1], unitAt)
  writer.set(unit[0], NORMALIZATION_OPTIONS)
  const options = writer.table([0, 1], unit[1])
  for (const [from, value] of [
    [options[0], 0],
    [options[1], 255],
  ] as const) {
    writer.align(4)
    writer.point(from)
    writer.u32(1)
    writer.f32(value)
  }
  const [outputAt = 0] = writer.references(subgraph[3], 1)
  const output = writer.table([0], outputAt)
  writer.align(4)
  writer.point(output[0])
  writer.u32(4)
  writer.text('mask\0')
  return writer.bytes()
}

const model = { version: 0, operators: 1, subgraphs: 2, description: 3, buffers: 4, metadata: 6 } as const

/** A new head before the model as it was. */
export const withMetadata = (plain: ArrayBuffer): Uint8Array => {
  const old = new DataView(plain)
  const root = old.getUint32(0, true)
  const vtable = root - old.getInt32(root, true)
  const fieldAt = (field: number) =>
    4 + 2 * field < old.getUint16(vtable, true) ? root + old.getUint16(vtable + 4 + 2 * field, true) : root
  const follow = (at: number) => at + old.getUint32(at, true)
  const buffers = follow(fieldAt(model.buffers))
  const bufferCount = old.getUint32(buffers, true)

  const writer = new Writer()
  writer.u32(0)
  writer.text('TFL3')
  const head = writer.table(Object.values(model), 0)
  writer.set(head[model.version], old.getUint32(fieldAt(model.version), true))
  const bufferAt = writer.references(head[model.buffers], bufferCount + 1)
  const [entryAt = 0] = writer.references(head[model.metadata], 1)
  const entry = writer.table([0, 1], entryAt)
  writer.set(entry[1], bufferCount)
  writer.align(4)
  writer.point(entry[0])
  writer.u32('TFLITE_METADATA'.length)
  writer.text('TFLITE_METADATA\0')
  const buffer = writer.table([0], bufferAt[bufferCount])
  const content = metadata()
  // Its length comes first, and the content starts at a multiple of 16.
  while ((writer.end + 4) % 16 !== 0) writer.u8(0)
  writer.point(buffer[0])
  writer.u32(content.length)
  writer.raw(content)
  writer.align(16)
  const start = writer.end
  for (const field of [model.operators, model.subgraphs, model.description])
    writer.point(head[field], start + follow(fieldAt(field)))
  for (let n = 0; n < bufferCount; n++) writer.point(bufferAt[n] ?? 0, start + follow(buffers + 4 + 4 * n))
  const whole = new Uint8Array(start + plain.byteLength)
  whole.set(writer.bytes())
  whole.set(new Uint8Array(plain), start)
  return whole
}
