import { beforeAll, expect, test } from 'vitest'
import { type Cast, createCast, tokenOf } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'
import { PIXEL } from '../../support/pixel.ts'

let lectern: Lectern
let cast: Cast
beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
})

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46])
const WEBP = Buffer.from('RIFF\x1a\0\0\0WEBPVP8L', 'latin1')
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script><path d="M0 0"/></svg>',
)

const image = (bytes: Uint8Array<ArrayBuffer>, type: string) => new Blob([bytes], { type })
const upload = (file: Blob, spaceId = cast.spaceId) => cast.owner.setSpaceLogo({ spaceId, file })
const fetchLogo = async (url: string | null) => {
  const response = await fetch(url ?? '')
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}
const newSpace = async () => (await cast.owner.createSpaces({ name: 'Space' })).id

test.each([
  ['image/png', PIXEL, 'png'],
  ['image/jpeg', JPEG, 'jpg'],
  ['image/webp', WEBP, 'webp'],
])('an image as %s is kept as it is, and served so that it stays one', async (type, bytes, extension) => {
  const { logo, name } = await upload(image(bytes, type))
  expect(name).toBe('Space')
  expect(logo).toMatch(new RegExp(`^${lectern.url}/logos/[A-Za-z0-9_-]{43}\\.${extension}$`))
  const { response, bytes: served } = await fetchLogo(logo)
  expect(served).toEqual(bytes)
  const header = (of: string) => response.headers.get(of)
  expect([response.status, header('content-type'), header('x-content-type-options')]).toEqual([200, type, 'nosniff'])
  expect(header('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(header('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
})

test('of an SVG the image alone is kept', async () => {
  const { logo } = await upload(image(SVG, 'image/svg+xml; charset=utf-8'))
  const { response, bytes } = await fetchLogo(logo)
  expect(bytes.toString()).toBe('<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"></path></svg>')
  expect(response.headers.get('content-type')).toBe('image/svg+xml')
  expect(response.headers.get('content-security-policy')).toContain('sandbox')
})

test('is shown wherever the space’s logo is, to guests and the invited too', async () => {
  const spaceId = await newSpace()
  const { logo } = await upload(image(PIXEL, 'image/png'), spaceId)
  const { owner } = cast
  const { id: roomId, alias } = await owner.createRooms({ spaceId, name: 'Room' })
  const accessToken = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user', username: 'Grace' }))
  const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
  const inspected = await lectern.anonymous.inspectAccess({ accessToken })
  const answers = [
    await owner.getSpace({ spaceId }),
    (await owner.listSpaces()).items.find(({ id }) => id === spaceId),
    inspected,
    await lectern.anonymous.redeemAccess({ accessToken }),
    await lectern.anonymous.inspectInvite({ spaceId, inviteId }),
    await owner.getRoomByAlias({ alias }),
  ]
  expect(answers.map(answer => answer?.logo)).toEqual(answers.map(() => logo))
})

test('another image has another address, and the same image the same', async () => {
  const [one, two] = [await newSpace(), await newSpace()]
  const file = image(Buffer.concat([PIXEL, Buffer.from([1])]), 'image/png')
  const [first, same] = [await upload(file, one), await upload(file, two)]
  expect(same.logo).toBe(first.logo)
  const changed = await upload(image(JPEG, 'image/jpeg'), one)
  expect(changed.logo).not.toBe(first.logo)
  // The other space still has it.
  expect((await fetchLogo(first.logo)).response.status).toBe(200)
  await cast.owner.deleteSpace({ spaceId: two })
  expect((await fetchLogo(first.logo)).response.status).toBe(404)
  expect((await fetchLogo(changed.logo)).response.status).toBe(200)
})

test('stays when it is sent back as it was read, and goes with another URL or none', async () => {
  const spaceId = await newSpace()
  const { owner } = cast
  for (const other of ['https://example.com/logo.png', null]) {
    const { logo } = await upload(image(WEBP, 'image/webp'), spaceId)
    expect(await owner.updateSpace({ spaceId, name: 'Renamed', logo })).toMatchObject({ name: 'Renamed', logo })
    expect((await owner.updateSpace({ spaceId, description: 'Described' })).logo).toBe(logo)
    expect((await fetchLogo(logo)).response.status).toBe(200)
    expect((await owner.updateSpace({ spaceId, logo: other })).logo).toBe(other)
    const { items } = await owner.listSpaceAudit({ spaceId, limit: 1 })
    expect(items[0]).toMatchObject({ action: 'space.updated', details: { logo: other } })
  }
})

test('what is no such image, too large or of another type is refused, and the logo stays', async () => {
  const spaceId = await newSpace()
  const { logo } = await upload(image(PIXEL, 'image/png'), spaceId)
  const attempts: [Uint8Array<ArrayBuffer>, string, number, string][] = [
    [JPEG, 'image/png', 400, 'image_invalid'],
    [PIXEL, 'image/jpeg', 400, 'image_invalid'],
    [PIXEL, 'image/webp', 400, 'image_invalid'],
    [Buffer.from('<html></html>'), 'image/svg+xml', 400, 'image_invalid'],
    [Buffer.from('<svg>'), 'image/svg+xml', 400, 'image_invalid'],
    [Buffer.alloc(0), 'image/png', 400, 'image_invalid'],
    [Buffer.concat([PIXEL, Buffer.alloc(512 * 1024)]), 'image/png', 413, 'body_too_large'],
    [Buffer.concat([PIXEL, Buffer.alloc(1024 * 1024)]), 'image/png', 413, 'body_too_large'],
    [Buffer.from('GIF89a'), 'image/gif', 415, 'unsupported_media_type'],
    [Buffer.from('{}'), 'application/json', 415, 'unsupported_media_type'],
    [Buffer.from('x'), 'text/plain', 415, 'unsupported_media_type'],
  ]
  for (const [bytes, type, ...answer] of attempts)
    expect([type, ...(await refusal(upload(image(bytes, type), spaceId)))]).toEqual([type, ...answer])
  const bare = await lectern.request('PUT', `/v1/spaces/${spaceId}/logo`, { token: cast.owner.token })
  expect([bare.status, bare.body.code]).toEqual([415, 'unsupported_media_type'])
  const whole = Buffer.concat([PIXEL, Buffer.alloc(512 * 1024 - PIXEL.length)])
  expect((await cast.owner.getSpace({ spaceId })).logo).toBe(logo)
  expect((await upload(image(whole, 'image/png'), spaceId)).logo).not.toBe(logo)
})

test('only the owner uploads one; and what was not uploaded is not there', async () => {
  const { moderator, member, stranger, spaceId } = cast
  const file = image(PIXEL, 'image/png')
  for (const person of [moderator, member])
    expect(await refusal(person.setSpaceLogo({ spaceId, file }))).toEqual([403, 'not_allowed'])
  expect(await refusal(stranger.setSpaceLogo({ spaceId, file }))).toEqual([404, 'not_found'])
  expect(await refusal(lectern.anonymous.setSpaceLogo({ spaceId, file }))).toEqual([401, 'token_required'])
  for (const name of ['x', `${'A'.repeat(43)}.png`, '..%2f..%2fetc%2fpasswd'])
    expect((await fetchLogo(`${lectern.url}/logos/${name}`)).response.status).toBe(404)
})
