import { spawn } from 'node:child_process'
import { expect, vi } from 'vitest'
import { callsByHand } from './calls.ts'
import type { Lectern } from './lectern.ts'
import { freePort } from './ports.ts'

/** Starts an example, gives the class the lesson it has made links for, and returns what it has printed by its end. */
export const playLesson = async (
  lectern: Lectern,
  command: [string, ...string[]],
  { cwd, ...environment }: { cwd: string } & Record<string, string>,
) => {
  const { token } = await lectern.operator.createPersonalToken({
    name: 'Example',
    scopes: ['spaces:write', 'rooms:write', 'links:write', 'webhook:write', 'calls:read'],
  })
  const [program, ...args] = command
  const child = spawn(program, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      LECTERN_URL: lectern.url,
      LECTERN_TOKEN: token,
      PORT: String(await freePort()),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  const ended = new Promise<number | null>(done => child.once('close', done))
  const linkOf = (name: string) => new RegExp(`^Link for ${name}: .*accessToken=(\\S+)$`, 'm').exec(output)?.[1]
  await vi.waitUntil(() => linkOf('Teacher') ?? child.exitCode !== null, { timeout: 20_000, interval: 50 })

  const byHand = await callsByHand(lectern)
  const accessToken = linkOf('Ada Lovelace') ?? ''
  const { spaceId, roomId, guestId } = await lectern.anonymous.redeemAccess({ accessToken })
  const presence = await byHand.join(roomId, { guestId }, 'student1')
  await byHand.tell('joined', roomId, { ...presence, joinedAt: Date.now() - 90_000 })
  await lectern.operator.endCall({ spaceId, roomId })
  return { status: await ended, output }
}

export const expectLesson = ({ status, output }: Awaited<ReturnType<typeof playLesson>>) => {
  expect(output).toMatch(/^Event: call_started$/m)
  expect(output).toMatch(/^Event: call_finished$/m)
  expect(output).toMatch(/^Ada Lovelace: 9\d s\nAlan Turing: absent$/m)
  expect(status).toBe(0)
}
