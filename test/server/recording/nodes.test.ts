import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createClient } from '../../../client/client.ts'
import { createPostgresDatabase, OPERATOR_PASSWORD } from '../../support/databases.ts'
import { probe } from '../../support/flash.ts'
import { enter, untilMedia } from '../../support/live.ts'
import { createLivekit, livekitKey } from '../../support/livekit.ts'
import { isLong } from '../../support/long.ts'
import { freePort } from '../../support/ports.ts'
import { startProcess, temporaryFolder } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'

/** A busy machine takes its time to start browsers, and a lease its 20 seconds to end. */
const WITHIN_MS = 120_000
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: WITHIN_MS, interval: 500 })

test.runIf(isLong)(
  'another node makes the file of one that was killed, and records and streams the rest of the call',
  async () => {
    const [redis, port] = [await startRedis(), await freePort()]
    const engine = await createLivekit(redis.address, `http://127.0.0.1:${port}/v1/media/events`)
    await engine.start()
    const settings = {
      LECTERN_DATA: temporaryFolder(),
      DATABASE_URL: await createPostgresDatabase(),
      LECTERN_ADMIN_PASSWORD: OPERATOR_PASSWORD,
      LECTERN_MEDIA: 'on',
      LECTERN_LIVEKIT_URL: engine.url,
      LECTERN_RECORDERS: '1',
      ...livekitKey,
    }
    const startNode = async (more: Record<string, string> = {}) => {
      const node = await startProcess({ ...settings, ...more })
      await untilMedia(node.url, 'ready', WITHIN_MS)
      const client = createClient({ baseUrl: node.url })
      await client.signIn('operator', OPERATOR_PASSWORD)
      return { ...node, client }
    }

    const doomed = await startNode()
    const { id: spaceId } = await doomed.client.createSpaces({ name: 'Space' })
    const room = { spaceId, name: 'Room', isAutoRecordingAllowed: true }
    const { id: roomId } = await doomed.client.createRooms(room)
    const at = { spaceId, roomId }
    await enter(doomed.client, at)
    const states = async () => (await other.client.listRecords(at)).items.map(({ state }) => state)
    // The other takes part only once there is nothing left to take.
    const captured = () =>
      expect(doomed.client.listRecords(at)).resolves.toMatchObject({ items: [{ state: 'recording' }] })
    await until(captured)
    await doomed.client.startStream(at)
    await until(async () => void (await doomed.client.watchStream(at)))
    const other = await startNode({ PORT: String(port) })
    await enter(other.client, at)
    await until(async () => expect((await other.client.listRecords(at)).items[0]?.size).toBeGreaterThan(5000))

    // Any node has what another streams.
    const { playlistUrl } = await other.client.watchStream(at)
    const playlist = async () => (await fetch(playlistUrl)).text()
    const [segment = ''] = /^\/.*$/m.exec(await playlist()) ?? []
    expect((await fetch(other.url + segment)).status).toBe(200)

    doomed.child.kill('SIGKILL')
    await until(async () => expect(await states()).toEqual(['recording', 'aborted']))
    const [, lost] = (await other.client.listRecords(at)).items
    expect(lost).toMatchObject({ reason: 'recorder_lost', isDownloadable: true })
    const { url } = await other.client.downloadRecord({ ...at, recordId: lost?.id ?? '' })
    const file = join(temporaryFolder(), 'lost.mp4')
    writeFileSync(file, Buffer.from(await (await fetch(url)).arrayBuffer()))
    expect(probe(file).seconds).toBeGreaterThan(1)
    await until(async () => expect(await playlist()).toContain('#EXT-X-DISCONTINUITY\n'))
  },
  4 * WITHIN_MS,
)
