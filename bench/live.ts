import { setTimeout as sleep } from 'node:timers/promises'
import { benchBrowser } from './browser.ts'
import { benchCrowd } from './crowd.ts'
import { compare, measure, type Request } from './load.ts'
import { startLectern, temporaryFolder } from './processes.ts'

const SECONDS = 2

export const benchLive = async (): Promise<boolean[]> => {
  const data = temporaryFolder()
  const lectern = await startLectern(data, { LECTERN_MEDIA: 'on' })
  while (!/"media":"ready"/.test(await (await fetch(`${lectern.url}/readyz`)).text())) await sleep(200)
  const { id: spaceId } = await lectern.client.createSpaces({ name: 'Bench' })
  const { id: roomId } = await lectern.client.createRooms({ spaceId, name: 'Room' })
  const path = `/v1/spaces/${spaceId}/rooms/${roomId}`
  const join: Request = { method: 'POST', path: `${path}/join`, body: {} }
  const joinAgain: Request = { ...join, body: { tabKey: 'bench-tab' } }
  const get: Request = { method: 'GET', path }
  const verdicts = [
    await compare({
      name: 'join, each as another participant, against GET room',
      ours: () => measure(lectern, join, SECONDS),
      yardstick: () => measure(lectern, get, SECONDS),
      atLeast: 0.5,
    }),
    await compare({
      name: 'join again, as after an engine’s restart, against GET room',
      ours: () => measure(lectern, joinAgain, SECONDS),
      yardstick: () => measure(lectern, get, SECONDS),
      atLeast: 0.5,
    }),
    ...(await benchBrowser(lectern, data, { spaceId, roomId })),
  ]
  await lectern.stop()
  return [...verdicts, await benchCrowd()]
}
