import { networkInterfaces } from 'node:os'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { guarded, isPublicAddress, type Lookup, namesForbiddenAddress } from '../../../server/delivery/addresses.ts'
import { createPoster } from '../../../server/delivery/post.ts'
import { refusal, startLectern } from '../../support/lectern.ts'
import { startReceiver } from '../../support/receiver.ts'

/** What names resolve to in this file; null: to nothing. */
const resolve = vi.fn<(host: string) => string[] | null>()
beforeEach(() => void resolve.mockReset())

const lookup: Lookup = (host, _options, callback) => {
  const found = resolve(host)
  const addresses = (found ?? []).map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  setImmediate(() => callback(found ? null : Object.assign(new Error('gone'), { code: 'ENOTFOUND' }), addresses))
}

describe('public addresses', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.1',
    '168.63.129.15',
    '168.63.129.17',
    '192.80.8.123',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.255.255',
    '223.255.255.254',
    '2606:4700::1111',
    '2a00:1450:4001:80b::200e',
    '::ffff:8.8.8.8',
  ])('%s is one', address => expect(isPublicAddress(address)).toBe(true))

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::7f00:1',
    '::a00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:0:127.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::7f00:1',
    '100::1',
    '1::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    // What cloud providers keep for their own machines.
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '::ffff:a83f:8110',
    '::ffff:0:168.63.129.16',
    '::168.63.129.16',
    '64:ff9b::168.63.129.16',
    '2002:a83f:8110::1',
    '192.80.8.124',
    '::ffff:192.80.8.124',
    '::ffff:c050:87c',
    '2002:c050:87c::1',
    '100.100.100.200',
    '169.254.42.42',
    '169.254.170.2',
    '192.0.0.192',
    'fd00:42::42',
    'fd00:c1::a9fe:a9fe',
    'fd00:ec2::23',
    'fd20:ce::254',
  ])('%s is none', address => expect(isPublicAddress(address)).toBe(false))

  test('are none when they are our own', () => {
    const own = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
    expect(own.length).toBeGreaterThan(0)
    for (const { address } of own) expect(isPublicAddress(address)).toBe(false)
  })
})

describe('a url', () => {
  test.each([
    'http://0',
    'http://127.1',
    'http://0x7f.0x0.0x0.0x1:8080/x',
    'https://2130706433',
    'http://0300.0250.1.1',
    'http://[::ffff:7f00:1]',
    'http://[fd00:ec2::254]/latest/meta-data',
    'http://168.63.129.16/machine?comp=goalstate',
    'http://0xa83f8110:32526/vmSettings',
    'http://2822734096',
    'http://[::ffff:168.63.129.16]',
    'https://192.80.8.124/metadata',
    'https://[::ffff:c050:87c]/userdata',
    'http://LocalHost',
    'http://a.b.localhost.:80',
  ])('%s names what is forbidden', url => expect(namesForbiddenAddress(url)).toBe(true))

  test.each([
    'https://school.example',
    'http://8.8.8.8',
    'http://localhost.example',
    'http://mylocalhost',
    'http://[2606:4700::1111]',
  ])('%s does not', url => expect(namesForbiddenAddress(url)).toBe(false))
})

const guardedLookup = (options: object) =>
  new Promise<unknown[]>(done => guarded(lookup, () => {})('school.example', options, (...answer) => done(answer)))

describe('the lookup of a connection', () => {
  test('gives what it has checked, and asks once', async () => {
    resolve.mockReturnValue(['8.8.8.8', '2606:4700::1111'])
    expect(await guardedLookup({ all: true })).toEqual([
      null,
      [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ],
    ])
    expect(await guardedLookup({})).toEqual([null, '8.8.8.8', 4])
    expect(resolve).toHaveBeenCalledTimes(2)
  })

  test.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:10.0.0.1'],
    ['168.63.129.16'],
    ['8.8.8.8', '::ffff:168.63.129.16'],
    ['192.80.8.124'],
    ['8.8.8.8', '10.0.0.1'],
    ['2606:4700::1111', 'fe80::1'],
  ])('refuses a name at %s, %s', async (...addresses) => {
    resolve.mockReturnValue(addresses)
    for (const options of [{ all: true }, {}, { family: 4 }]) {
      const [error] = await guardedLookup(options)
      expect(error).toMatchObject({ message: expect.stringContaining('not at a public address') })
    }
  })

  test('fails when there is no such name', async () => {
    resolve.mockReturnValue(null)
    expect((await guardedLookup({ all: true }))[0]).toMatchObject({ code: 'ENOTFOUND' })
    resolve.mockReturnValue([])
    expect((await guardedLookup({ all: true }))[0]).toBeInstanceOf(Error)
  })
})

describe('a callback', () => {
  const never = new AbortController().signal

  test('does not reach a name that has moved inside', async () => {
    const receiver = await startReceiver()
    const poster = createPoster(false, { lookup })
    onTestFinished(async () => {
      await poster.close()
      await receiver.close()
    })
    const { port } = new URL(receiver.url)
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:127.0.0.1'], ['::1']]) {
      resolve.mockReturnValue(addresses)
      for (const scheme of ['http', 'https'])
        expect(await poster.to(`${scheme}://school.example:${port}/`)({}, '{}', never)).toMatchObject({
          outcome: 'blocked_address',
          status: null,
          reason: 'address_not_allowed',
          detail: 'The URL points to an address that is not public.',
        })
    }
    expect(resolve).toHaveBeenCalledTimes(8)
    for (const host of ['127.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'x.localhost'])
      expect((await poster.to(`http://${host}:${port}/`)({}, '{}', never)).outcome).toBe('blocked_address')
    expect(resolve).toHaveBeenCalledTimes(8)
    resolve.mockReturnValue(null)
    expect((await poster.to(`http://school.example:${port}/`)({}, '{}', never)).reason).toBe('name_not_found')
    expect(receiver.callbacks).toEqual([])
  })

  test.each([
    ['EHOSTUNREACH', 'unreachable', 'The host could not be reached.'],
    ['EACCES', 'connection_failed', 'EACCES'],
  ])('that fails with %s names no address, neither its own nor the service’s', async (code, reason, detail) => {
    const failure = Object.assign(new Error(`connect ${code} 192.0.2.1:80 - Local (10.0.0.5:0)`), {
      code,
      syscall: 'connect',
    })
    const poster = createPoster(false, { lookup: (_host, _options, callback) => callback(failure, []) })
    onTestFinished(() => poster.close())
    expect(await poster.to('http://school.example/')({}, '{}', never)).toMatchObject({ reason, detail })
  })

  test('fails in words while what sends it cannot be loaded, and not for ever', async () => {
    const receiver = await startReceiver()
    let isThere = false
    const poster = createPoster(true, {
      importUndici: () => (isThere ? import('undici') : Promise.reject(new Error('no such file'))),
    })
    onTestFinished(async () => {
      await poster.close()
      await receiver.close()
    })
    const post = poster.to(receiver.url)
    const payload = '{"body":{},"signature":""}'
    expect(await post({}, payload, never)).toMatchObject({ outcome: 'connection', status: null, reason: 'not_sent' })
    isThere = true
    expect(await post({}, payload, never)).toMatchObject({ outcome: 'success', status: 200 })
  })

  test.each(['127.0.0.1', '168.63.129.16', '::ffff:192.80.8.124'])(
    'of the service to a name at %s is blocked when it is sent, and says so, the address in the log alone',
    async address => {
      const receiver = await startReceiver()
      onTestFinished(() => receiver.close())
      const log = { info: vi.fn() }
      const lectern = await startLectern(
        { LECTERN_WEBHOOK_SCHEDULE: '0,0,0' },
        { poster: createPoster(false, { lookup, log }) },
      )
      const owner = await lectern.user()
      const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
      const url = `http://school.example:${new URL(receiver.url).port}/`
      await owner.createWebhook({ spaceId, url })
      expect(resolve).not.toHaveBeenCalled()
      resolve.mockReturnValue([address])
      const { id: deliveryId } = await owner.testWebhook({ spaceId })
      await vi.waitFor(async () => {
        const { state, attempts } = await owner.getDelivery({ spaceId, deliveryId })
        expect([state, ...attempts.map(({ outcome }) => outcome)]).toEqual([
          'failed',
          'blocked_address',
          'blocked_address',
          'blocked_address',
        ])
        expect(attempts.map(({ detail }) => detail)).toEqual(
          Array(3).fill('The URL points to an address that is not public.'),
        )
      })
      expect(log.info).toHaveBeenCalledWith({ host: 'school.example', address }, expect.any(String))
      expect(receiver.callbacks).toEqual([])
    },
  )

  test.each(['http://168.63.129.16', 'http://[::ffff:168.63.129.16]', 'https://192.80.8.124'])(
    'to %s is refused when it is set',
    async url => {
      const lectern = await startLectern()
      const owner = await lectern.user()
      const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
      const notAllowed = [400, 'address_not_allowed']
      expect(await refusal(owner.createWebhook({ spaceId, url }))).toEqual(notAllowed)
      await owner.createWebhook({ spaceId, url: 'https://school.example' })
      expect(await refusal(owner.updateWebhook({ spaceId, url, isActive: true }))).toEqual(notAllowed)
    },
  )
})
