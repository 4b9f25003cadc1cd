/* Brings what the tests need beyond npm packages, or says what is missing and how to get it. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findPostgres } from './support/postgres.ts'

const missing = [{ package: 'postgresql', what: 'PostgreSQL', found: () => findPostgres() !== null }].filter(
  ({ found }) => !found(),
)

if (missing.length > 0) {
  const names = missing.map(({ package: name }) => name)
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.error(`The tests need ${missing.map(({ what }) => what).join(' and ')}.`)
    console.error(`On Debian or Ubuntu: sudo apt-get install ${names.join(' ')}`)
    process.exit(1)
  }
  console.log(`Installing ${names.join(', ')} …`)
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...names]]) {
    const { status } = spawnSync('apt-get', ['-q', ...args], { stdio: 'inherit', env: environment })
    if (status !== 0) process.exit(status ?? 1)
  }
}
