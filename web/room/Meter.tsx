import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './meter.module.css'

/** As often as looks lively: each time the page is drawn anew, on a phone in the lobby for minutes. */
const DRAW_MS = 50
/** Longer than that, so that no sound falls in between: 85 ms, in samples. */
const HEARD = 4096

/** Shows that the microphone hears something. Drawn past React, since it moves all the time. */
export const Meter = ({ stream }: { stream: MediaStream | null }) => {
  const { t } = useTranslation()
  const bar = useRef<HTMLSpanElement>(null)
  const meter = useRef<HTMLMeterElement>(null)

  useEffect(() => {
    if (!stream) return
    const context = new AudioContext()
    const analyser = context.createAnalyser()
    analyser.fftSize = HEARD
    const source = context.createMediaStreamSource(stream)
    source.connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    let shown = 0
    const draw = () => {
      analyser.getFloatTimeDomainData(samples)
      const loudness = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
      const level = Math.min(1, Math.max(0, 1 + Math.log10(loudness + 1e-4) / 2.5))
      shown = Math.max(level, shown * 0.78)
      bar.current?.style.setProperty('transform', `scaleX(${shown.toFixed(3)})`)
      if (meter.current) meter.current.value = shown
    }
    const timer = setInterval(draw, DRAW_MS)
    return () => {
      clearInterval(timer)
      source.disconnect()
      void context.close()
    }
  }, [stream])

  return (
    <>
      <meter ref={meter} className={classes.value} min={0} max={1} aria-label={t('lobby.meter')} />
      <span className={classes.meter} data-live={stream !== null} aria-hidden>
        <span ref={bar} />
      </span>
    </>
  )
}
