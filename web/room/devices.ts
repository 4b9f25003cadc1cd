import { kept } from '../ui/storage.ts'

/** Why a camera or microphone cannot be used; each has words of its own. */
export type DeviceProblem = 'insecure' | 'policy' | 'refused' | 'none' | 'busy'

export type Input = 'camera' | 'microphone'

export interface DeviceChoices {
  camera: { id: string | null; isOn: boolean }
  microphone: { id: string | null; isOn: boolean }
  speaker: string | null
  sound: SoundCleaning
  background: Background
}

/** What the browser does to the sound of the microphone. */
export interface SoundCleaning {
  noiseSuppression: boolean
  echoCancellation: boolean
}

export const backgrounds = ['none', 'blur', 'library', 'office', 'hills'] as const
/** What is behind the person: as it is, blurred, or a picture. */
export type Background = (typeof backgrounds)[number]

const KEY = 'lectern.devices'
const atFirst: DeviceChoices = {
  camera: { id: null, isOn: true },
  microphone: { id: null, isOn: true },
  speaker: null,
  sound: { noiseSuppression: true, echoCancellation: true },
  background: 'none',
}

export const rememberedChoices = (): DeviceChoices => {
  try {
    return { ...atFirst, ...JSON.parse(kept.get(KEY) ?? '{}') }
  } catch {
    return atFirst
  }
}
export const rememberChoices = (choices: DeviceChoices) => kept.set(KEY, JSON.stringify(choices))

interface FeaturePolicy {
  allowsFeature: (name: string) => boolean
}

/** Known before anybody is asked: the page is not on https, or the page that embeds it keeps the devices to itself. */
export const standingProblem = (input: Input): DeviceProblem | null => {
  if (!navigator.mediaDevices) return 'insecure'
  const { featurePolicy } = document as Document & { featurePolicy?: FeaturePolicy }
  return featurePolicy && !featurePolicy.allowsFeature(input) ? 'policy' : null
}

export const problemOf = (error: unknown): DeviceProblem => {
  const { name } = error as DOMException
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'none'
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused'
  return 'busy'
}
