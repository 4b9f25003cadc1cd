/** Without a graphics processor the browser draws in software, and says so. */
const hasGraphics = () =>
  new OffscreenCanvas(1, 1).getContext('webgl2', { failIfMajorPerformanceCaveat: true }) !== null

const canProcess = () =>
  'MediaStreamTrackProcessor' in window &&
  'MediaStreamTrackGenerator' in window &&
  typeof OffscreenCanvas === 'function' &&
  navigator.hardwareConcurrency >= 4 &&
  hasGraphics()

let answer: boolean | undefined

/** Telling the person from what is behind them, many times a second, is more than some machines can do. */
export const canChangeBackground = () => {
  answer ??= canProcess()
  return answer
}
