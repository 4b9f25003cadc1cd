import type { BackgroundProcessorWrapper } from '@livekit/track-processors'
import type { LocalVideoTrack } from 'livekit-client'
import { type Background, rememberedChoices } from '../../devices.ts'
import { canChangeBackground } from './support.ts'

const load = () => import('./processor.ts')

/** Wanted, and possible. */
export const hasBackground = () => rememberedChoices().background !== 'none' && canChangeBackground()

/** For a camera that is about to be switched on: nobody sees the room behind the person first. */
export const chosenProcessor = async (onSlow: () => void) => {
  const { background } = rememberedChoices()
  if (background === 'none' || !hasBackground()) return undefined
  return (await load()).createProcessor(background, onSlow)
}

/** For a camera that is on. */
export const applyTo = async (track: LocalVideoTrack, background: Background, onSlow: () => void) => {
  if (background === 'none') return track.stopProcessor()
  const { createProcessor, switchTo } = await load()
  const current = track.getProcessor() as BackgroundProcessorWrapper | undefined
  if (current) await switchTo(current, background)
  else await track.setProcessor(await createProcessor(background, onSlow))
}
