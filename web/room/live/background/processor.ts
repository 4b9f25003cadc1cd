import { BackgroundProcessor, type BackgroundProcessorWrapper } from '@livekit/track-processors'
import { FilesetResolver } from '@mediapipe/tasks-vision'
import type { Track } from 'livekit-client'
import type { Background } from '../../devices.ts'
import { withMetadata } from './model.ts'
import { pictures } from './pictures.ts'

/* All that is heavy, loaded when a background is first chosen: the library, the machine code and the model. */

const modelPath = new URL(
  '../../../../node_modules/@mediapipe/selfie_segmentation/selfie_segmentation.tflite',
  import.meta.url,
).href
const wasmLoaderPath = new URL(
  '../../../../node_modules/@mediapipe/tasks-vision/wasm/vision_wasm_internal.js',
  import.meta.url,
).href
const wasmBinaryPath = new URL(
  '../../../../node_modules/@mediapipe/tasks-vision/wasm/vision_wasm_internal.wasm',
  import.meta.url,
).href

// It would look for fixed names in one folder; our own are named by their content.
FilesetResolver.forVisionTasks = async () => ({ wasmLoaderPath, wasmBinaryPath })

let model: Promise<Uint8Array> | undefined
const loadModel = async () => {
  const answer = await fetch(modelPath)
  if (!answer.ok) throw new Error(`the model could not be loaded: ${answer.status}`)
  return withMetadata(await answer.arrayBuffer())
}

type Effect = Exclude<Background, 'none'>

const modeOf = (effect: Effect) =>
  effect === 'blur'
    ? ({ mode: 'background-blur', blurRadius: 12 } as const)
    : ({ mode: 'virtual-background', imagePath: pictures[effect] } as const)

/** Half of the pictures of a camera get lost where one takes longer. */
const SLOW_MS = 66
const MEASURED_FRAMES = 30

export const createProcessor = async (effect: Effect, onSlow: () => void): Promise<BackgroundProcessorWrapper> => {
  model ??= loadModel().catch(error => {
    model = undefined
    throw error
  })
  let frames = 0
  let spent = 0
  const processor = BackgroundProcessor({
    ...modeOf(effect),
    // The path of the library's own is elsewhere.
    segmenterOptions: { modelAssetPath: undefined as unknown as string, modelAssetBuffer: await model },
    onFrameProcessed: ({ processingTimeMs }) => {
      // The first one waits for everything to be set up.
      if (frames++ > 0) spent += processingTimeMs
      if (frames === MEASURED_FRAMES && spent / (MEASURED_FRAMES - 1) > SLOW_MS) onSlow()
    },
  })
  // It would show the first picture as it is, to everyone.
  processor.transformer.isFirstFrame = false
  return processor
}

/** For a picture that only the person sees, before any call. */
export const process = async (source: MediaStreamTrack, effect: Effect, onSlow: () => void) => {
  const processor = await createProcessor(effect, onSlow)
  const element = document.createElement('video')
  element.muted = true
  await processor.init({ kind: 'video' as Track.Kind.Video, track: source, element })
  const { processedTrack: track } = processor
  if (!track) throw new Error('the processor gives no picture')
  return { track, stop: () => processor.destroy() }
}

export const switchTo = (processor: BackgroundProcessorWrapper, effect: Effect) => processor.switchTo(modeOf(effect))
