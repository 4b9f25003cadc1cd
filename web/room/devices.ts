import { kept } from '../ui/storage.ts'

/** Why a camera or microphone cannot be used; each has words of its own. */
export type DeviceProblem = 'insecure' | 'policy' | 'refused' | 'none' | 'busy'

export type Input = 'camera' | 'microphone'

export interface DeviceChoices {
  camera: { id: string | null; isOn: boolean }
  microphone: { id: string | null; isOn: boolean }
  speaker: string | null
}

const KEY = 'lectern.devices'
const atFirst: DeviceChoices = {
  camera: { id: null, isOn: true },
  microphone: { id: null, isOn: true },
  speaker: null,
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
