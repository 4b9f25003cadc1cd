import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { environmentName, settings } from '../server/config.ts'
import { startLectern } from './support/lectern.ts'

const readme = readFileSync('README.md', 'utf8')
const webhooks = readFileSync('docs/guides/webhooks.md', 'utf8')

test('the table of settings is complete and right', () => {
  const rows = Object.entries(settings).map(
    ([name, { default: fallback, description }]) =>
      `| \`${environmentName(name as keyof typeof settings)}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${description} |`,
  )
  const table = ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
  expect(readme).toContain(table)
})

test('what it links to is there', () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
  expect(links.filter(path => !existsSync(path))).toEqual([])
})

test.each([
  ['js', 'receiver.mjs'],
  ['python', 'receiver.py'],
  ['go', 'receiver.go'],
  ['php', 'receiver.php'],
])('the receiver in %s is the one that is tested', (language, file) => {
  const [, code = ''] = webhooks.split(`\`\`\`${language}
`)
  expect(readFileSync(`test/server/delivery/receivers/${file}`, 'utf8')).toContain(
    code.split('```')[0]?.trim() || 'missing',
  )
})

test.each([
  ['js', 'node'],
  ['python', 'python'],
  ['go', 'go'],
  ['php', 'php'],
])('the console shows the receiver in %s as the guide does, with what it imports', (language, file) => {
  const [, ...shown] = readFileSync(`web/console/webhook/verify/${file}.txt`, 'utf8').split('\n\n')
  expect(webhooks).toContain(`\`\`\`${language}\n${shown.join('\n\n')}\`\`\``)
})

test('the tour works when pasted', async () => {
  const lectern = await startLectern({ LECTERN_RATE_LIMITS: 'on' })
  const blocks = [...readme.matchAll(/```sh tour\n(.*?)```/gs)].map(([, lines]) => lines)
  expect(blocks.length).toBeGreaterThan(5)
  const script = blocks
    .join('echo\n')
    .replace('http://localhost:8080', lectern.url)
    .replaceAll('\ncurl', '\necho; curl')
  const { stdout, stderr, status } = await runBash(script, `${lectern.operator.password}\n`)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const answers = stdout
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
  const problems = answers.filter(({ code }) => code !== undefined).map(({ code }) => code)
  // Only the second use of the one-time link.
  expect(problems).toEqual(['link_used'])
  expect(answers.length).toBeGreaterThan(7)
})

/** Asynchronous, since the service runs in this very process. */
const runBash = async (script: string, input: string) => {
  // What it reads from is a socket, as for a remote shell, which would begin with the files of whoever runs the tests.
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(input)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const status = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { stdout, stderr, status }
}
