/** A box has its length and its type ahead; more than 4 GiB nobody sends us. */
const HEAD_BYTES = 8
const MOST_BYTES = 64 * 2 ** 20

export interface FragmentHandlers {
  /** What every player needs first: `ftyp` and `moov`. */
  onInit: (init: Buffer) => void
  /** A whole `moof` with its `mdat`. The browser begins one with each key frame, so that playing can begin with any. */
  onFragment: (fragment: Buffer) => void
}

/** Cuts a fragmented MP4 that comes piece by piece into what can be played by itself. Throws when it is none. */
export const createFragments = ({ onInit, onFragment }: FragmentHandlers) => {
  let waiting: Buffer = Buffer.alloc(0)
  let head: Buffer[] = []

  const take = (type: string, box: Buffer) => {
    if (type === 'ftyp' || type === 'moof') head = [box]
    else if (type === 'moov') onInit(Buffer.concat([...head, box]))
    else if (type === 'mdat') onFragment(Buffer.concat([...head, box]))
  }

  return (data: Buffer) => {
    waiting = waiting.length === 0 ? data : Buffer.concat([waiting, data])
    while (waiting.length >= HEAD_BYTES) {
      const length = waiting.readUInt32BE(0)
      if (length < HEAD_BYTES || length > MOST_BYTES) throw new Error('what was captured is no MP4')
      if (waiting.length < length) return
      take(waiting.toString('latin1', 4, HEAD_BYTES), waiting.subarray(0, length))
      waiting = waiting.subarray(length)
    }
  }
}
