import autocannon from 'autocannon'
import { median } from './clock.ts'
import type { Service } from './processes.ts'
import { ROUNDS } from './sizes.ts'

export interface Request {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

export const CONNECTIONS = 32

/** Every request must be answered with a success, or the figure would mean nothing. */
const load = async (
  { url, token, tokens = [token] }: Service,
  { method, path, body }: Request,
  extent: { connections: number; duration?: number; amount?: number },
) => {
  let connections = 0
  const result = await autocannon({
    url: url + path,
    method,
    ...extent,
    setupClient: client =>
      client.setHeaders({
        authorization: `Bearer ${tokens[connections++ % tokens.length]}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${method} ${path}: ${result.non2xx} refusals, ${result.errors} errors`)
  return result
}

/** Requests per second. */
export const measure = async (service: Service, request: Request, seconds: number, connections = CONNECTIONS) => {
  const result = await load(service, request, { connections, duration: seconds })
  return result['2xx'] / result.duration
}

export const send = (service: Service, request: Request, amount: number) =>
  load(service, request, { connections: CONNECTIONS, amount })

export interface Contest {
  name: string
  /** What is measured, and what it is measured against. */
  ours: () => Promise<number>
  yardstick: () => Promise<number>
  /** Without it the ratio is printed and not judged. */
  atLeast?: number
}

/** Both in turns, so that a noisy machine disturbs both alike; the ratio is the median of the rounds. */
export const compare = async ({ name, ours, yardstick, atLeast }: Contest, rounds = ROUNDS) => {
  const results: { ours: number; yardstick: number }[] = []
  for (let round = 0; round < rounds + 1; round++) {
    const pair = { yardstick: await yardstick(), ours: await ours() }
    // The first round warms both up.
    if (round > 0) results.push(pair)
  }
  const ratio = median(results.map(pair => pair.ours / pair.yardstick))
  const figure = (pick: 'ours' | 'yardstick') =>
    Math.round(median(results.map(pair => pair[pick]))).toLocaleString('en')
  const isMet = atLeast === undefined || ratio >= atLeast
  const verdict = atLeast === undefined ? '    ' : isMet ? 'ok  ' : 'LOW '
  const bar = atLeast === undefined ? 'no bar' : `at least ${Number(atLeast.toFixed(2))}`
  console.log(
    `${verdict} ${name.padEnd(58)} ${ratio.toFixed(2)} (${bar})   ${figure('ours')}/s against ${figure('yardstick')}/s`,
  )
  return isMet
}
