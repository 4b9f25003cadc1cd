const SECONDS = 0.18
const LOUDNESS = 0.05

/** Two short, quiet tones, up or down. Nothing is heard where the browser does not allow it, or has no sound. */
export const chime = (isUp: boolean) => {
  if (typeof AudioContext === 'undefined' || navigator.userActivation?.hasBeenActive === false) return
  const context = new AudioContext()
  const tones = isUp ? [520, 660] : [660, 520]
  for (const [index, hertz] of tones.entries()) {
    const tone = context.createOscillator()
    const volume = context.createGain()
    const start = context.currentTime + index * 0.1
    tone.frequency.value = hertz
    volume.gain.setValueAtTime(LOUDNESS, start)
    volume.gain.exponentialRampToValueAtTime(0.001, start + SECONDS)
    tone.connect(volume).connect(context.destination)
    tone.start(start)
    tone.stop(start + SECONDS)
  }
  setTimeout(() => void context.close(), 1000)
}
