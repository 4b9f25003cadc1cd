import { playTones } from '../tones.ts'

/** Two short tones. */
export const knock = () => playTones({ hertz: [660, 880], apart: 0.14, seconds: 0.22, loudness: 0.12 })
