import { spawn } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import { inheritedBy, runLines, type Variables } from '../media/run.ts'
import { fail } from './store.ts'

/* PostgreSQL's own programs for backups. */

const notFound = (program: string) =>
  fail(
    `${program} is not on PATH. Install PostgreSQL's client programs, as new as the server or newer: on Debian and Ubuntu the package postgresql-client.`,
  )

const explain = (program: string) => (error: NodeJS.ErrnoException) =>
  error.code === 'ENOENT' ? notFound(program) : fail(`${program} failed: ${error.message}`)

/** Our driver takes what is no proper escape as it is. */
const unescaped = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The password goes by the environment: arguments can be read by everyone on the machine. */
const connection = (databaseUrl: string) => {
  const url = new URL(databaseUrl)
  const password = url.searchParams.get('password') ?? unescaped(url.password)
  url.password = ''
  // What only our own driver knows.
  for (const name of ['password', 'uselibpqcompat']) url.searchParams.delete(name)
  if (url.searchParams.get('sslmode') === 'no-verify') url.searchParams.set('sslmode', 'require')
  return { target: `--dbname=${url.href}`, env: password === '' ? {} : { PGPASSWORD: password } }
}

const run = (program: string, args: string[], env: Variables, onLine?: (line: string) => void) =>
  runLines(program, args, { cwd: process.cwd(), env, signal: new AbortController().signal }, onLine).catch(
    explain(program),
  )

/** A consistent copy of a database in use: one snapshot, which keeps no writer waiting. */
export const dump = async (databaseUrl: string, file: string) => {
  const { target, env } = connection(databaseUrl)
  await run('pg_dump', ['--format=custom', '--no-owner', '--no-privileges', `--file=${file}`, target], env)
}

/** The migrations that the backup has had; null: it is not Lectern's. */
export const migrationsInDump = async (file: string): Promise<string[] | null> => {
  let names: string[] | null = null
  await run('pg_restore', ['--data-only', '--table=kysely_migration', '--file=-', file], {}, line => {
    if (/^COPY .*kysely_migration/.test(line)) names = []
    else if (/^\d{4}_\w+\t/.test(line)) names?.push(line.split('\t')[0] as string)
  })
  return names
}

/** Drops these tables and puts the backup in their place, in one transaction: else everything is as before. */
export const restoreDump = async (databaseUrl: string, file: string, tables: string[]) => {
  const { target, env } = connection(databaseUrl)
  const reader = spawn('pg_restore', ['--no-owner', '--no-privileges', '--file=-', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const writer = spawn('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', target], {
    env: inheritedBy(env),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const outcome = (program: string, child: typeof reader | typeof writer) => {
    let words = ''
    child.stderr.on('data', chunk => {
      words = (words + chunk).slice(-2000)
    })
    return new Promise<void>((done, failed) => {
      child.once('error', failed)
      child.once('close', code => (code === 0 ? done() : failed(new Error(words.trim() || `ended with ${code}`))))
    }).catch(explain(program))
  }
  const read = outcome('pg_restore', reader)
  const written = outcome('psql', writer)
  // Whichever fails first says why; what the other says then is only its echo.
  written.catch(() => reader.kill())
  read.catch(() => {})
  const drops = tables.map(table => `DROP TABLE "${table}" CASCADE;\n`).join('')
  writer.stdin.on('error', () => {})
  writer.stdin.write(`SET statement_timeout = 0;\nSET lock_timeout = '10s';\nBEGIN;\n${drops}`)
  await pipeline(reader.stdout, writer.stdin, { end: false }).catch(() => {})
  const isRead = await read.then(
    () => true,
    () => false,
  )
  // Without the last words nothing has happened.
  writer.stdin.end(isRead ? '\nCOMMIT;\nANALYZE;\n' : undefined)
  await written
  await read
}
