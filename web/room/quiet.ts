import { keptForTab } from '../ui/storage.ts'
import type { DeviceChoices } from './devices.ts'

/*
 * Beside another tab or device of the same person this one is silent, or each would hear the other: no microphone and no
 * sound until asked for. Also after a reload.
 */

const keyOf = (roomId: string) => `lectern.quiet.${roomId}`

export const isQuiet = (roomId: string) => keptForTab.get(keyOf(roomId)) !== null

export const keepQuiet = (roomId: string, quiet: boolean) =>
  quiet ? keptForTab.set(keyOf(roomId), 'yes') : keptForTab.remove(keyOf(roomId))

export const withoutMicrophone = (choices: DeviceChoices): DeviceChoices => ({
  ...choices,
  microphone: { ...choices.microphone, isOn: false },
})
