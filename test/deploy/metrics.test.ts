import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startLectern } from '../support/lectern.ts'
import { temporaryFolder } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { startFakeEngine } from '../support/sockets.ts'

/* Rules and dashboard against the metrics of a running service. */

interface Panel {
  targets?: { expr: string }[]
}

/** As promtool reads them: all expressions of the rules. Its own reader of YAML is the only one here. */
const ruleExpressions = () =>
  [...readFileSync('deploy/lectern.rules.yml', 'utf8').matchAll(/^ +expr: (?:\|\n((?: {10,}.*\n)+)|(.*)\n)/gm)].map(
    ([, block, line]) => (block ?? line ?? '').trim(),
  )

const dashboard = JSON.parse(readFileSync('deploy/grafana.json', 'utf8')) as {
  panels: Panel[]
  templating: { list: { query: string }[] }
}
const dashboardExpressions = () => [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.flatMap(({ query }) => /^label_values\((.*), \w+\)$/.exec(query)?.[1] ?? []),
]

const MADE_BY_PROMETHEUS = { metrics: ['up'], labels: ['job', 'instance'] }

/** Names that stand for metrics, and names of labels. */
const namesIn = (expression: string) => {
  const withoutTexts = expression.replaceAll(/"[^"]*"|`[^`]*`/g, '""')
  const labels = [
    ...[...withoutTexts.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) => inside.match(/\w+(?=\s*[=!])/g) ?? []),
    ...[...withoutTexts.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside = '']) => inside.split(/,\s*/)),
  ]
  const rest = withoutTexts.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ')
  return { metrics: rest.match(/\b[a-z]\w*(?!\w)(?!\s*\()/gi) ?? [], labels }
}

test('every metric and label that rules and dashboard name is in /metrics', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const engine = await startFakeEngine(socket => socket.destroy())
  const lectern = await startLectern({ ...engine.settings, LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
  const { id: spaceId } = await lectern.operator.createSpaces({ name: 'Space' })
  await lectern.operator.createWebhook({ spaceId, url: receiver.url })
  await lectern.operator.testWebhook({ spaceId })
  const text = await vi.waitFor(
    async () => {
      const { body } = await lectern.request('GET', '/metrics')
      expect(body).toContain('outcome="success"')
      expect(body).toContain('lectern_media_ready 1')
      return body as string
    },
    { timeout: 10_000 },
  )
  const exposed = new Set(text.match(/^[a-z]\w+/gim))
  const labels = new Set([...text.matchAll(/(\w+)="/g)].map(([, name = '']) => name))

  const expressions = [...ruleExpressions(), ...dashboardExpressions()]
  expect(expressions.length).toBeGreaterThan(20)
  for (const expression of expressions) {
    const named = namesIn(expression)
    expect(named.metrics.length, expression).toBeGreaterThan(0)
    for (const name of named.metrics) expect([...exposed, ...MADE_BY_PROMETHEUS.metrics], expression).toContain(name)
    for (const name of named.labels) expect([...labels, ...MADE_BY_PROMETHEUS.labels], expression).toContain(name)
  }
})

test('an installation without media misses no engine', async () => {
  const lectern = await startLectern({ LECTERN_MEDIA: 'off' })
  expect((await lectern.request('GET', '/metrics')).body).not.toContain('lectern_media_ready')
})

test('promtool takes what the dashboard asks for', () => {
  const file = join(temporaryFolder(), 'dashboard.yml')
  const rules = dashboardExpressions().map((expr, index) => ({
    record: `dashboard:${index}`,
    expr: expr.replaceAll('$__rate_interval', '1m'),
  }))
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain(`${rules.length} rules`)
})
