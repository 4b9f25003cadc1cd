import { useEffect, useState } from 'react'
import { type DeviceProblem, type Input, problemOf, standingProblem } from '../devices.ts'

export interface Capture {
  stream: MediaStream | null
  problem: DeviceProblem | null
  /** The chosen one is no longer there, and another stands in. */
  isOther: boolean
}

const nothing: Capture = { stream: null, problem: null, isOther: false }

const constraints = (input: Input, id: string | null): MediaStreamConstraints => {
  const device = id ? { deviceId: { exact: id } } : {}
  return input === 'camera'
    ? { video: { ...device, width: { ideal: 1280 }, height: { ideal: 720 } } }
    : { audio: { ...device } }
}

const stop = (stream: MediaStream) => {
  for (const track of stream.getTracks()) track.stop()
}

// Two questions at once would cover one another in some browsers.
let asked: Promise<unknown> = Promise.resolve()

const ask = (input: Input, id: string | null) => {
  const answer = asked.then(() => navigator.mediaDevices.getUserMedia(constraints(input, id)))
  asked = answer.catch(() => {})
  return answer.then(stream => ({ stream, isOther: false }))
}

/** The chosen camera or microphone while it is wanted. */
export const useCapture = (input: Input, isWanted: boolean, id: string | null): Capture => {
  const [capture, setCapture] = useState<Capture>(nothing)

  useEffect(() => {
    const problem = standingProblem(input)
    if (!isWanted || problem) return setCapture({ ...nothing, problem })
    let isGone = false
    let taken: MediaStream | null = null
    ask(input, id)
      .catch(async error => {
        if (id === null || problemOf(error) !== 'none') throw error
        return { ...(await ask(input, null)), isOther: true }
      })
      .then(({ stream, isOther }) => {
        if (isGone) return stop(stream)
        taken = stream
        setCapture({ stream, problem: null, isOther })
      })
      .catch(error => {
        if (!isGone) setCapture({ ...nothing, problem: problemOf(error) })
      })
    return () => {
      isGone = true
      if (taken) stop(taken)
      setCapture(nothing)
    }
  }, [input, isWanted, id])

  return capture
}

/** What there is to choose from; named only once the person has allowed its use. */
export const useInputs = (input: Input, isAllowed: boolean): MediaDeviceInfo[] => {
  const [inputs, setInputs] = useState<MediaDeviceInfo[]>([])

  useEffect(() => {
    const devices = navigator.mediaDevices
    if (!devices || !isAllowed) return
    const kind = input === 'camera' ? 'videoinput' : 'audioinput'
    const read = async () => {
      const found = await devices.enumerateDevices()
      setInputs(found.filter(device => device.kind === kind && device.deviceId !== '' && device.label !== ''))
    }
    void read()
    devices.addEventListener('devicechange', read)
    return () => devices.removeEventListener('devicechange', read)
  }, [input, isAllowed])

  return inputs
}
