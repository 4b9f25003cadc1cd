/** Three rising notes. */
const NOTES = [523.25, 659.25, 783.99]
const NOTE_SECONDS = 0.35

/** Plays them through this speaker, until they have been heard. */
export const playTestSound = async (deviceId: string) => {
  const context = new AudioContext()
  const output = context.createMediaStreamDestination()
  const audio = new Audio()
  audio.srcObject = output.stream
  try {
    // In a frame the browser may refuse even the one that is used anyway.
    if (deviceId !== '' && deviceId !== 'default') await audio.setSinkId(deviceId)
    await audio.play()
    const last = NOTES.map((hertz, n) => {
      const note = new OscillatorNode(context, { frequency: hertz })
      const gain = new GainNode(context, { gain: 0 })
      const start = context.currentTime + n * NOTE_SECONDS
      gain.gain.setValueAtTime(0, start)
      gain.gain.linearRampToValueAtTime(0.3, start + 0.03)
      gain.gain.linearRampToValueAtTime(0, start + NOTE_SECONDS)
      note.connect(gain).connect(output)
      note.start(start)
      note.stop(start + NOTE_SECONDS)
      return note
    }).at(-1)
    await new Promise(ended => last?.addEventListener('ended', ended, { once: true }))
  } finally {
    audio.pause()
    audio.srcObject = null
    await context.close()
  }
}
