import { expect, test } from 'vitest'
import { createProgress } from '../../../server/media/progress.ts'
import type { MediaState } from '../../../server/media/state.ts'

const states: MediaState[] = [
  { status: 'starting' },
  ...Array.from({ length: 100 }, (_, percent) => ({ status: 'preparing' as const, percent })),
  { status: 'starting' },
  { status: 'ready' },
]

const told = (isTTY: boolean, through: MediaState[]) => {
  const lines: string[] = []
  let screen = ''
  const show = createProgress({ info: (line: string) => lines.push(line) } as never, {
    isTTY,
    write: text => {
      screen += text
    },
  })
  for (const state of through) show(state)
  return { lines, screen }
}

test('in a terminal one line renews itself, and ends with "ready"', () => {
  const { lines, screen } = told(true, states)
  expect(lines).toEqual([])
  expect(screen.match(/\d+ %/g)).toHaveLength(100)
  expect(screen.match(/\n/g)).toHaveLength(1)
  expect(screen).toMatch(/99 %\r.*ready\n$/)
})

test('elsewhere a log line comes every ten per cent, also when some are skipped', () => {
  const { lines, screen } = told(false, states)
  expect(screen).toBe('')
  const tens = Array.from({ length: 10 }, (_, ten) => `media engine: building ${ten * 10} %`)
  expect(lines).toEqual([...tens, 'media engine ready'])
  const leaps = [3, 4, 31, 38, 47].map(percent => ({ status: 'preparing' as const, percent }))
  expect(told(false, leaps).lines.map(line => line.match(/\d+/)?.[0])).toEqual(['3', '31', '47'])
})

test('that Go is downloaded first is a step of its own', () => {
  const downloaded: MediaState[] = [
    { status: 'downloading' },
    { status: 'preparing', percent: 0 },
    { status: 'starting' },
    { status: 'ready' },
  ]
  expect(told(true, downloaded).screen).toMatch(/downloading Go.*\r.*: 0 %\r.*ready\n$/)
  expect(told(false, downloaded).lines).toEqual([
    'media engine: downloading Go to build it',
    'media engine: building 0 %',
    'media engine ready',
  ])
  // What was under way and failed leaves an empty line for the message.
  const failed: MediaState[] = [{ status: 'downloading' }, { status: 'failed', reason: '' }]
  expect(told(true, failed).screen.endsWith('\r\u001b[2K')).toBe(true)
})

test('an engine that is found says only that it is ready, and again when it had to be started again', () => {
  const restarted: MediaState[] = [
    { status: 'starting' },
    { status: 'ready' },
    { status: 'starting' },
    { status: 'ready' },
  ]
  expect(told(false, restarted).lines).toEqual(['media engine ready', 'media engine ready'])
})
