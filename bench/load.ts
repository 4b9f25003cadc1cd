import autocannon from 'autocannon'
import { median } from './clock.ts'
import type { Service } from './processes.ts'

export interface Request {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

const CONNECTIONS = 32

/** Requests per second. Every answer must be a success, or the figure would mean nothing. */
export const measure = async (
  { url, token }: Service,
  { method, path, body }: Request,
  seconds: number,
): Promise<number> => {
  const result = await autocannon({
    url: url + path,
    method,
    connections: CONNECTIONS,
    duration: seconds,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${method} ${path}: ${result.non2xx} refusals, ${result.errors} errors`)
  return result['2xx'] / result.duration
}

export interface Contest {
  name: string
  /** What is measured, and what it is measured against. */
  ours: () => Promise<number>
  yardstick: () => Promise<number>
  atLeast: number
}

/** Both in turns, so that a noisy machine disturbs both alike; the ratio is the median of the rounds. */
export const compare = async ({ name, ours, yardstick, atLeast }: Contest, rounds = 5) => {
  const results: { ours: number; yardstick: number }[] = []
  for (let round = 0; round < rounds + 1; round++) {
    const pair = { yardstick: await yardstick(), ours: await ours() }
    // The first round warms both up.
    if (round > 0) results.push(pair)
  }
  const ratio = median(results.map(pair => pair.ours / pair.yardstick))
  const figure = (pick: 'ours' | 'yardstick') =>
    Math.round(median(results.map(pair => pair[pick]))).toLocaleString('en')
  const verdict = ratio >= atLeast ? 'ok  ' : 'LOW '
  console.log(
    `${verdict} ${name.padEnd(58)} ${ratio.toFixed(2)} (at least ${atLeast})   ${figure('ours')}/s against ${figure('yardstick')}/s`,
  )
  return ratio >= atLeast
}
