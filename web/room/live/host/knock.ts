/** Two short, quiet tones. */
const TONES = [
  { at: 0, hertz: 660 },
  { at: 0.14, hertz: 880 },
]
const SECONDS = 0.22
const LOUDNESS = 0.12

/** Nothing is heard where the browser does not allow it, or has no sound. */
export const knock = () => {
  if (typeof AudioContext === 'undefined') return
  const context = new AudioContext()
  for (const { at, hertz } of TONES) {
    const tone = context.createOscillator()
    const volume = context.createGain()
    const start = context.currentTime + at
    tone.frequency.value = hertz
    volume.gain.setValueAtTime(LOUDNESS, start)
    volume.gain.exponentialRampToValueAtTime(0.001, start + SECONDS)
    tone.connect(volume).connect(context.destination)
    tone.start(start)
    tone.stop(start + SECONDS)
  }
  setTimeout(() => void context.close(), 1000)
}
