import '../styles.ts'
import { RoomAudioRenderer, RoomContext } from '@livekit/components-react'
import { MantineProvider } from '@mantine/core'
import { Room, RoomEvent, setLogLevel } from 'livekit-client'
import { createRoot } from 'react-dom/client'
import type { RecorderMessage, RecorderPage, Scene } from '../../../contract/recorderPage.ts'
import { startLanguage } from '../../ui/language.ts'
import { theme } from '../../ui/theme.ts'
import { roomVariables } from '../theme.ts'
import { captureTab } from './capture.ts'
import { Recorded } from './Recorded.tsx'

/* The page that records a call: opened by the service in a browser of its own, and by nobody else. */

declare global {
  interface Window {
    lecternRecorder?: RecorderPage
    /** The service's end. */
    lecternTell?: (message: string) => void
  }
}

/** How long the first picture may take; the recording begins without it then. */
const FIRST_PICTURE_MS = 2000
const SCENE_EVERY_MS = 10_000
const AGAIN_AFTER_MS = 1000

setLogLevel('silent')
await startLanguage('room')

const tell = (message: RecorderMessage) => window.lecternTell?.(JSON.stringify(message))

const room = new Room({ adaptiveStream: true })
const root = createRoot(document.getElementById('root') as HTMLElement)

const show = (scene: Scene) =>
  root.render(
    <MantineProvider theme={theme} cssVariablesResolver={roomVariables} forceColorScheme="dark">
      <RoomContext.Provider value={room}>
        <RoomAudioRenderer />
        <Recorded scene={scene} />
      </RoomContext.Provider>
    </MantineProvider>,
  )

const isPictureThere = () => [...document.querySelectorAll('video')].some(({ readyState }) => readyState >= 2)

const firstPicture = async () => {
  const deadline = performance.now() + FIRST_PICTURE_MS
  while (!isPictureThere() && performance.now() < deadline) await new Promise(resolve => setTimeout(resolve, 50))
}

const askForScene = () => tell({ type: 'ask', what: 'scene' })
room
  .on(RoomEvent.DataReceived, (_payload, _participant, _kind, topic) => {
    if (topic === 'call') askForScene()
  })
  // After a restart of the engine, which no longer knows the connection.
  .on(RoomEvent.Disconnected, () => setTimeout(() => tell({ type: 'ask', what: 'access' }), AGAIN_AFTER_MS))

let stop = () => {}

window.lecternRecorder = {
  show,
  stop: () => stop(),
  connect: ({ mediaUrl, mediaToken }) => {
    // What fails ends in `Disconnected`, or here.
    room
      .connect(mediaUrl, mediaToken)
      .catch(() => setTimeout(() => tell({ type: 'ask', what: 'access' }), AGAIN_AFTER_MS))
  },
  async start({ scene, access, ...how }) {
    show(scene)
    await room.connect(access.mediaUrl, access.mediaToken)
    await room.startAudio()
    await firstPicture()
    setInterval(askForScene, SCENE_EVERY_MS)
    stop = await captureTab(how, tell)
  },
}
tell({ type: 'ready' })
