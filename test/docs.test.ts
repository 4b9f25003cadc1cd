import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { environmentName, settings } from '../server/config.ts'

const known = Object.keys(settings).map(name => environmentName(name as keyof typeof settings))

test.each(globSync('docs/*.md'))('%s names files, settings and alerts that there are', path => {
  const text = readFileSync(path, 'utf8')
  const files = text.match(/\bdeploy\/[\w.-]+/g) ?? []
  expect(files.filter(file => !existsSync(file))).toEqual([])
  const named = text.match(/\bLECTERN_[A-Z0-9_]+|\bDATABASE_URL\b/g) ?? []
  expect(named.filter(name => !known.includes(name))).toEqual([])
  const anchors = [...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))
  expect([...text.matchAll(/\(#([\w-]+)\)/g)].map(([, anchor]) => anchor)).toEqual(anchors)
})

test('the operator is told what to do about each alert', () => {
  const text = readFileSync('docs/operating.md', 'utf8')
  const alerts = [...readFileSync('deploy/lectern.rules.yml', 'utf8').matchAll(/alert: (\w+)/g)].map(([, name]) => name)
  expect(alerts.filter(name => !text.includes(`\`${name}\``))).toEqual([])
  expect([...new Set(text.match(/\bLectern[A-Z]\w+/g))].filter(name => !alerts.includes(name))).toEqual([])
})
