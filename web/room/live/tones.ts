interface Tones {
  hertz: readonly number[]
  /** Seconds from one to the next, and of each. */
  apart: number
  seconds: number
  loudness: number
}

/** Nothing is heard where the browser does not allow it, or has no sound. */
export const playTones = ({ hertz, apart, seconds, loudness }: Tones) => {
  if (typeof AudioContext === 'undefined') return
  const context = new AudioContext()
  for (const [index, frequency] of hertz.entries()) {
    const tone = context.createOscillator()
    const volume = context.createGain()
    const start = context.currentTime + index * apart
    tone.frequency.value = frequency
    volume.gain.setValueAtTime(loudness, start)
    volume.gain.exponentialRampToValueAtTime(0.001, start + seconds)
    tone.connect(volume).connect(context.destination)
    tone.start(start)
    tone.stop(start + seconds)
  }
  setTimeout(() => void context.close(), 1000)
}
