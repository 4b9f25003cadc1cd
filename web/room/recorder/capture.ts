import type { RecorderMessage, RecorderStart } from '../../../contract/recorderPage.ts'

/** The first of them that the browser can write. It cannot write AAC. */
const mimeTypes = ['avc1.64001f', 'avc1.4d001f', 'avc1.42e01f', 'avc1'].map(codec => `video/mp4;codecs=${codec},opus`)
/** So that a file that is cut off anywhere ends with a whole picture not long before. */
const KEY_FRAME_EVERY_MS = 2000
const AUDIO_BITS = 128_000

const base64Of = (blob: Blob) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    // The type has commas, too.
    reader.onload = () => resolve(String(reader.result).replace(/^.*;base64,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })

/** Records this tab, picture and sound, from now on. Gives what ends it. */
export const captureTab = async (
  { width, height, frameRate, videoBitsPerSecond, fragmentMs }: Omit<RecorderStart, 'scene' | 'access'>,
  tell: (message: RecorderMessage) => void,
) => {
  const mimeType = mimeTypes.find(type => MediaRecorder.isTypeSupported(type))
  if (!mimeType) throw new Error('This browser can’t write H.264 video.')
  const options: DisplayMediaStreamOptions & { preferCurrentTab: boolean } = {
    preferCurrentTab: true,
    video: { width, height, frameRate },
    audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 2 },
  }
  const stream = await navigator.mediaDevices.getDisplayMedia(options)
  if (stream.getAudioTracks().length === 0) throw new Error('This browser can’t record its own sound.')
  const recording: MediaRecorderOptions & { videoKeyFrameIntervalDuration: number } = {
    mimeType,
    videoBitsPerSecond,
    audioBitsPerSecond: AUDIO_BITS,
    videoKeyFrameIntervalDuration: KEY_FRAME_EVERY_MS,
  }
  const recorder = new MediaRecorder(stream, recording)
  // One after the other, in their order.
  let told = Promise.resolve()
  recorder.ondataavailable = ({ data }) => {
    if (data.size > 0) told = told.then(async () => tell({ type: 'fragment', data: await base64Of(data) }))
  }
  recorder.onstart = () => tell({ type: 'begun' })
  recorder.onstop = () => {
    told = told.then(() => tell({ type: 'done' }))
  }
  recorder.start(fragmentMs)
  return () => {
    if (recorder.state !== 'inactive') recorder.stop()
  }
}
