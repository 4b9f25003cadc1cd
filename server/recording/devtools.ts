import type { Readable, Writable } from 'node:stream'

type Params = Record<string, unknown>

/** Of a browser that was started with `--remote-debugging-pipe`: nobody but us can talk to it. */
export interface Devtools {
  /** Rejects when the browser refuses, or is gone. */
  send: <T = Params>(method: string, params?: Params, sessionId?: string) => Promise<T>
  on: (method: string, listener: (params: Params) => void) => void
}

/** Messages are JSON, each ended by a zero byte. */
export const connectDevtools = (input: Writable, output: Readable): Devtools => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const listeners = new Map<string, ((params: Params) => void)[]>()
  let count = 0
  let isGone = false
  let pieces: Buffer[] = []

  const receive = (text: string) => {
    const { id, result, error, method, params } = JSON.parse(text)
    if (id === undefined) {
      for (const listener of listeners.get(method) ?? []) listener(params)
      return
    }
    if (error) waiting.get(id)?.reject(new Error(error.message))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  }

  output.on('data', (data: Buffer) => {
    let start = 0
    for (let end = data.indexOf(0); end !== -1; end = data.indexOf(0, start)) {
      pieces.push(data.subarray(start, end))
      const text = Buffer.concat(pieces).toString()
      pieces = []
      start = end + 1
      receive(text)
    }
    if (start < data.length) pieces.push(data.subarray(start))
  })
  const close = () => {
    isGone = true
    for (const { reject } of waiting.values()) reject(new Error('the browser is gone'))
    waiting.clear()
  }
  output.on('close', close).on('error', close)
  input.on('error', close)

  return {
    send(method, params = {}, sessionId) {
      if (isGone) return Promise.reject(new Error('the browser is gone'))
      const answer = Promise.withResolvers<unknown>()
      // Whoever does not wait for it need not care.
      answer.promise.catch(() => {})
      waiting.set(++count, answer)
      input.write(`${JSON.stringify({ id: count, method, params, ...(sessionId && { sessionId }) })}\0`)
      return answer.promise as Promise<never>
    },
    on: (method, listener) => void listeners.set(method, [...(listeners.get(method) ?? []), listener]),
  }
}
