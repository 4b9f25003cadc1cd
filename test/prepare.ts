/* Brings what the tests need beyond npm packages, or says what is missing and how to get it. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { CHROMIUM, HEADLESS } from './support/chromium.ts'
import { findPostgres } from './support/postgres.ts'
import { nodeTools, pythonTools } from './support/tools.ts'

const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

const missing = [
  { package: 'postgresql', what: 'PostgreSQL', found: findPostgres() !== null },
  { package: 'redis-server', what: 'Redis', found: runs('redis-server', '--version') },
  { package: 'python3', what: 'Python', found: runs('python3', '--version') },
  { package: 'python3-pip', what: 'pip', found: runs('python3', '-m', 'pip', '--version') },
  { package: 'php-cli', what: 'PHP', found: runs('php', '--version') },
  { package: 'util-linux', what: 'prlimit', found: runs('prlimit', '--version') },
  { package: 'openssl', what: 'OpenSSL', found: runs('openssl', 'version') },
  { package: 'nginx', what: 'nginx', found: existsSync('/usr/sbin/nginx') },
  { package: 'nftables', what: 'nftables', found: existsSync('/usr/sbin/nft') },
  { package: 'prometheus', what: 'promtool', found: runs('promtool', '--version') },
  { package: 'systemd', what: 'systemd-analyze', found: runs('systemd-analyze', '--version') },
  { package: 'chromium', what: 'Chromium', found: existsSync(CHROMIUM) },
  { package: 'ffmpeg', what: 'ffmpeg', found: runs('ffmpeg', '-version') },
].filter(({ found }) => !found)
const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

const install = (...names: string[]) => {
  console.log(`Installing ${names.join(', ')} …`)
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const steps = [['update'], ['install', '-y', '--no-install-recommends', ...names]]
  return steps.every(args => spawnSync('apt-get', ['-q', ...args], { stdio: 'inherit', env: environment }).status === 0)
}

if (!runs('go', 'version')) {
  console.error('The tests need Go 1.26 or newer, which also builds the media engine: https://go.dev/dl')
  process.exit(1)
}

if (missing.length > 0) {
  const names = missing.map(({ package: name }) => name)
  if (!mayInstall) {
    console.error(`The tests need ${missing.map(({ what }) => what).join(' and ')}.`)
    console.error(`On Debian or Ubuntu: sudo apt-get install ${names.join(' ')}`)
    process.exit(1)
  }
  if (!install(...names)) process.exit(1)
}

// Without it the browser tests run in Chromium itself, and take longer.
if (mayInstall && !existsSync(HEADLESS)) install('chromium-headless-shell')

// Generators, linters and OAuth libraries of others (test/integrators).
nodeTools()
pythonTools()
