import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenOf } from '../support/cast.ts'
import { type Lectern, startLectern } from '../support/lectern.ts'
import { isLong } from '../support/long.ts'
import { goTools, nodeTools, pythonTools } from '../support/tools.ts'
import { runProgram } from './programs.ts'

/*
 * The description judged by others: linters find no error, and the code that generators make of it compiles, signs in and
 * makes a space, a room and a link. Those that take longest do so in the long run.
 */

let lectern: Lectern
const folder = mkdtempSync(join(tmpdir(), 'lectern-generated-'))
const description = join(folder, 'openapi.json')
const programs = resolve('test/integrators')

beforeAll(async () => {
  lectern = await startLectern()
  writeFileSync(description, await (await fetch(`${lectern.url}/openapi.json`)).text())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (program: string, args: string[], cwd: string, environment: Record<string, string> = {}) =>
  runProgram(program, args, cwd, { URL: lectern.url, PASSWORD: lectern.operator.password, ...environment })

/** Of a program that prints the link it has made. */
const expectLink = async (printed: string, participantName: string) => {
  const link = await lectern.anonymous.inspectAccess({ accessToken: tokenOf({ url: printed.trim() }) })
  expect(link).toMatchObject({
    participantName,
    roomName: 'Algebra',
    spaceName: 'School',
    role: 'user',
    type: 'lesson',
  })
}

/** Where a program finds the packages it needs, TypeScript among them. */
const nodeProject = (name: string) => {
  const project = join(folder, name)
  mkdirSync(project)
  const modules = join(nodeTools(), 'node_modules')
  symlinkSync(modules, join(project, 'node_modules'))
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  cpSync(join(programs, `${name}.ts.txt`), join(project, 'integrator.ts'))
  const bin = (program: string) => join(modules, '.bin', program)
  const strict = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable']
  return {
    project,
    tool: (program: string, ...args: string[]) => run(bin(program), args, project),
    compile: () =>
      run(bin('tsc'), [...strict, '--module', 'esnext', '--moduleResolution', 'bundler', 'integrator.ts'], project),
  }
}

test('Redocly finds no error', async () => {
  const redocly = join(nodeTools(), 'node_modules/.bin/redocly')
  await run(redocly, ['lint', description], folder, {
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  })
}, 60_000)

test.runIf(isLong)(
  'Spectral finds no error',
  async () => {
    writeFileSync(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n')
    const spectral = join(nodeTools(), 'node_modules/.bin/spectral')
    await run(spectral, ['lint', description, '--ruleset', 'spectral.yaml', '--fail-severity', 'error'], folder)
  },
  60_000,
)

test('openapi-typescript', async () => {
  const { project, tool, compile } = nodeProject('openapi-typescript')
  // Otherwise it makes what has a default required in requests, too.
  await tool('openapi-typescript', description, '--default-non-nullable', 'false', '-o', 'lectern.d.ts')
  await compile()
  await expectLink(await run(process.execPath, ['integrator.ts'], project), 'Ada')
}, 60_000)

test.runIf(isLong)(
  '@hey-api/openapi-ts with zod',
  async () => {
    const { project, tool, compile } = nodeProject('hey-api')
    await tool('openapi-ts', '-i', description, '-o', 'lectern', '-p', '@hey-api/typescript', '@hey-api/sdk', 'zod')
    await compile()
    await run(resolve('node_modules/.bin/rolldown'), ['integrator.ts', '-p', 'node', '-o', 'bundle.js'], project)
    await expectLink(await run(process.execPath, ['bundle.js'], project), 'Grace')
  },
  120_000,
)

test.runIf(isLong)(
  'datamodel-code-generator for pydantic',
  async () => {
    const environment = { PYTHONPATH: pythonTools() }
    const options = ['--input-file-type', 'openapi', '--output-model-type', 'pydantic_v2.BaseModel']
    const generate = [
      '-m',
      'datamodel_code_generator',
      '--input',
      description,
      ...options,
      '--output',
      'lectern_models.py',
    ]
    await run('python3', generate, folder, environment)
    cpSync(join(programs, 'pydantic.py'), join(folder, 'integrator.py'))
    await expectLink(await run('python3', ['integrator.py'], folder, environment), 'Alan')
  },
  60_000,
)

test.runIf(isLong)(
  'oapi-codegen',
  async () => {
    const tools = goTools()
    const project = join(folder, 'go')
    mkdirSync(join(project, 'lectern'), { recursive: true })
    for (const file of ['go.mod', 'go.sum', 'main.go']) cpSync(join(programs, 'go', file), join(project, file))
    // It would drop what only webhooks refer to.
    const options = ['-generate', 'types,client,skip-prune', '-package', 'lectern', '-o', 'lectern/lectern.go']
    await run(join(tools, 'oapi-codegen'), [...options, description], project)
    await run('go', ['build', '-o', 'integrator', '.'], project)
    await expectLink(await run(join(project, 'integrator'), [], project), 'Edsger')
  },
  300_000,
)
