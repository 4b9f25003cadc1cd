import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { environmentName, readConfig, settings } from '../../server/config.ts'
import { launchProgram, readyAt, temporaryFolder } from '../support/process.ts'

/* What an operator copies from deploy/, checked by the programs that read it. */

/** Rejects with all that the program says if it is not content. */
const run = async (program: string, ...args: string[]) => {
  const { stdout, stderr } = await promisify(execFile)(program, args)
  return stdout + stderr
}

const unit = readFileSync('deploy/lectern.service', 'utf8')
const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []

test('systemd takes the unit, and finds little left to protect', async () => {
  const file = join(temporaryFolder(), 'lectern.service')
  writeFileSync(file, unit.replaceAll('/opt/lectern', process.cwd()))
  expect(await run('systemd-analyze', 'verify', '--man=no', file)).toBe('')
  await run('systemd-analyze', 'security', '--offline=true', '--threshold=20', file)
})

test('what the unit runs is the service', async () => {
  const [program = '', ...args] = command.replaceAll('/opt/lectern', process.cwd()).split(' ')
  const started = launchProgram(program, args, { PORT: '0', LECTERN_DATA: temporaryFolder(), LECTERN_MEDIA: 'off' })
  expect((await fetch(`${await readyAt(started)}/readyz`)).status).toBe(200)
})

test('the settings are ours, and fit the firewall and the proxy', () => {
  const lines = readFileSync('deploy/lectern.env', 'utf8').matchAll(/^#?([A-Z_]+)='?(.*?)'?$/gm)
  const given = Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]))
  const known = Object.keys(settings).map(name => environmentName(name as keyof typeof settings))
  expect(Object.keys(given).filter(name => !known.includes(name))).toEqual([])
  const { mediaPorts, port, publicUrl, trustedProxies } = readConfig(given)
  const firewall = readFileSync('deploy/nftables.conf', 'utf8')
  expect(firewall).toContain(`tcp dport ${mediaPorts?.tcp} accept`)
  expect(firewall).toContain(`udp dport ${mediaPorts?.udp} accept`)
  const proxy = readFileSync('deploy/nginx.conf', 'utf8')
  expect(proxy).toContain(`server ${trustedProxies}:${port};`)
  expect(proxy).toContain(`return 301 ${publicUrl}$request_uri;`)
})

test('nft takes the firewall, also where it is loaded already', async () => {
  const load = 'nft -c -f deploy/nftables.conf && nft -f deploy/nftables.conf && nft -f deploy/nftables.conf'
  const script = `PATH=$PATH:/usr/sbin; ${load} && nft list table inet lectern`
  // A network of its own: that of this machine stays as it is.
  const rules = await run('unshare', '--net', '--map-root-user', 'sh', '-c', script)
  expect(rules).toContain('policy drop')
  expect(rules.match(/udp dport/g)).toHaveLength(1)
})

test('promtool takes the rules and where it finds them', async () => {
  const folder = temporaryFolder()
  for (const name of ['prometheus.yml', 'lectern.rules.yml']) cpSync(join('deploy', name), join(folder, name))
  const token = join(folder, 'lectern.token')
  writeFileSync(token, 'token')
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, readFileSync(config, 'utf8').replace('/etc/prometheus/lectern.token', token))
  expect(await run('promtool', 'check', 'config', '--lint-fatal', config)).toContain('SUCCESS')
})

test('each alert is set off by what it is for, and by nothing less', async () => {
  expect(await run('promtool', 'test', 'rules', 'test/deploy/lectern.rules.test.yml')).toContain('SUCCESS')
})

test('the container is made of what is here, and runs what the unit runs', () => {
  const lines = readFileSync('deploy/Containerfile', 'utf8').replaceAll('\\\n', '').split('\n')
  const ignored = readFileSync('.dockerignore', 'utf8').trim().split('\n')
  const copied = lines.filter(line => /^COPY (?!--from)/.test(line)).flatMap(line => line.split(' ').slice(1, -1))
  expect(copied.filter(path => !existsSync(path) || ignored.includes(path))).toEqual([])
  // As the first process, Node would never ask for the browser's processes that it did not start, and they would pile up.
  expect(lines).toContain('ENTRYPOINT ["/usr/bin/tini", "--"]')
  expect(lines.join('\n')).toMatch(/apt-get install .* tini /)
  const [, run = '[]'] = /^CMD (.*)$/m.exec(lines.join('\n')) ?? []
  expect(`/opt/lectern/${JSON.parse(run).join(' ')}`).toBe(command)
})
