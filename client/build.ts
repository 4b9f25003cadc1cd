/* Makes the package of `npm pack`, in dist: the client as plain ES modules with types, and no dependencies. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { compile } from 'json-schema-to-typescript'
import { createComponents } from '../contract/components.ts'
import { Problem } from '../contract/errors.ts'
import { events, testEvent } from '../contract/events.ts'
import type { Operation } from '../contract/operation.ts'
import { operations as declared } from '../contract/operations.ts'
import { operations } from './operations.ts'

const here = import.meta.dirname
const dist = join(here, 'dist')

type Schema = Record<string, unknown>

const object = (properties: Schema, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** A list of values that can grow: those known today, to choose from, and any other. */
const withOpenValues = (_: string, value: Schema | null) => {
  const known = value?.['x-extensible-enum'] as string[] | undefined
  if (!known) return value
  const types = [
    ...known.map(each => `'${each}'`),
    '(string & {})',
    ...([value?.type].flat().includes('null') ? ['null'] : []),
  ]
  // In brackets: it may be the items of a list.
  return { ...value, tsType: `(${types.join(' | ')})` }
}

/** The types of the contract as interfaces under their names, with their descriptions. */
const typesOfContract = async () => {
  const components = createComponents()
  components.answer(Problem, '')

  const inputOf = (name: string, { path, query, body, upload }: Operation) => {
    const inPath = [...path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => parameter)
    const inQuery = Object.entries(query?.properties ?? {})
    const properties = {
      ...Object.fromEntries(inPath.map(parameter => [parameter, { type: 'string' }])),
      ...Object.fromEntries(inQuery.map(([parameter, schema]) => [parameter, components.parameter(schema)])),
      ...(upload && { file: { tsType: 'Blob', description: 'Sent with the content type that it has' } }),
    }
    const own = object(properties, [...inPath, ...(query?.required ?? []), ...(upload ? ['file'] : [])])
    const sent = body && components.body(body, name)
    return sent ? { allOf: [own, sent] } : own
  }
  const answerOf = (name: string, { answer }: Operation) => components.answer(answer, name)
  const byName = (of: (name: string, operation: Operation) => Schema) =>
    object(Object.fromEntries(Object.entries(declared).map(([name, operation]) => [name, of(name, operation)])))

  const bodies = [...Object.values(events), testEvent].map(event =>
    String(components.answer(event, '').$ref).split('/').at(-1),
  )
  const Inputs = byName(inputOf)
  const Answers = byName(answerOf)
  const text = JSON.stringify({ ...object({}), $defs: { ...components.schemas, Inputs, Answers } })
    .replaceAll('#/components/schemas/', '#/$defs/')
    // What else is ignored in a request is not for the client to send.
    .replaceAll('"additionalProperties":true', '"additionalProperties":false')
  const types = await compile(JSON.parse(text, withOpenValues), 'Contract', {
    unreachableDefinitions: true,
    // Otherwise a list of one item at least takes no ordinary array.
    ignoreMinAndMaxItems: true,
    additionalProperties: false,
    bannerComment: '',
  })
  return `${types
    .replace(/export interface Contract \{\}\n/, '')
    .replaceAll(/^ \* This interface was referenced by .*\n \* via the `definition` .*\n/gm, '')
    .replaceAll(/^\/\*\*\n(?: \*\n)* \*\/\n/gm, '')}
export type ErrorCode = Problem['code']
export type RuleName = NonNullable<Problem['rule']>
export type Scope = NonNullable<Inputs['createPersonalToken']['scopes']>[number]
/** What a webhook is told, by its eventName. A later release may send events and fields that are not here. */
export type WebhookEvent =
  | ${bodies.join('\n  | ')}
`
}

const emitted = mkdtempSync(join(tmpdir(), 'lectern-client-'))
try {
  execFileSync(resolve(here, '../node_modules/.bin/tsc'), ['-p', here, '--outDir', emitted], { stdio: 'inherit' })
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist)
  // Declarations keep the names of the sources they import.
  for (const name of ['index', 'client', 'error', 'webhooks'])
    for (const kind of ['js', 'd.ts'])
      writeFileSync(
        join(dist, `${name}.${kind}`),
        readFileSync(join(emitted, 'client', `${name}.${kind}`), 'utf8').replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"),
      )
} finally {
  rmSync(emitted, { recursive: true, force: true })
}
writeFileSync(join(dist, 'operations.js'), `export const operations = ${JSON.stringify(operations, null, 2)}\n`)
writeFileSync(join(dist, 'types.d.ts'), await typesOfContract())
copyFileSync(join(here, '../LICENSE'), join(dist, 'LICENSE'))
