import { playTones } from './tones.ts'

/** Two short, quiet tones, up or down. */
export const chime = (isUp: boolean) => {
  if (navigator.userActivation?.hasBeenActive === false) return
  playTones({ hertz: isUp ? [520, 660] : [660, 520], apart: 0.1, seconds: 0.18, loudness: 0.05 })
}
