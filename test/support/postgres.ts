import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './ports.ts'

const DEBIAN = '/usr/lib/postgresql'

/** The folder of PostgreSQL's programs, newest version first. */
export const findPostgres = (): string | null => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map(version => join(DEBIAN, version, 'bin')), ...(process.env.PATH ?? '').split(':')]
  return folders.find(folder => existsSync(join(folder, 'initdb'))) ?? null
}

/** PostgreSQL refuses to run as root: then it runs as the user its package made. */
const asWhom = () => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

export interface Postgres {
  /** Without a database. */
  url: string
  /** Returns once it takes connections again. `immediate` is a crash. */
  restart: (mode: 'fast' | 'immediate') => Promise<void>
  stop: () => Promise<void>
}

/**
 * A server in a folder of its own, gone afterwards. `settings` come on top of PostgreSQL's own. Vacuuming hundreds of
 * databases in turn takes longer than their tests need it; what was committed before what is known only with its time.
 */
export const startPostgres = async (
  settings = ['fsync=off', 'autovacuum=off', 'track_commit_timestamp=on'],
): Promise<Postgres> => {
  const programs = findPostgres()
  if (!programs) throw new Error('PostgreSQL is missing: run npm test, which brings it')
  const folder = mkdtempSync(join(tmpdir(), 'lectern-postgres-'))
  const user = asWhom()
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const run = (program: string, ...args: string[]) =>
    new Promise<void>((done, fail) => {
      const child = spawn(join(programs, program), args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
      let words = ''
      child.stderr.on('data', chunk => {
        words += chunk
      })
      child.on('error', fail)
      // What it leaves running keeps its output open.
      child.on('exit', status => (status === 0 ? done() : fail(new Error(`${program}: ${words}`))))
    })
  const data = join(folder, 'data')
  const control = (...args: string[]) => run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), ...args)
  const port = await freePort()
  await run('initdb', '-D', data, '-U', 'lectern', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync')
  const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300', ...settings]
  const options = [`-p ${port}`, ...all.map(setting => `-c ${setting}`)].join(' ')
  await control('-o', options, 'start')
  return {
    url: `postgres://lectern@127.0.0.1:${port}`,
    restart: mode => control('-m', mode, '-o', options, 'restart'),
    async stop() {
      await control('-m', 'immediate', 'stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
