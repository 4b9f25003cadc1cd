import { NativeSelect, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { IconMicrophone, IconMicrophoneOff, IconVideo, IconVideoOff } from '@tabler/icons-react'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DeviceChoices, Input } from '../devices.ts'
import { canChangeBackground } from '../live/background/support.ts'
import { Meter } from '../Meter.tsx'
import { useBackdrop } from './background.ts'
import { type Capture, useCapture, useInputs } from './capture.ts'
import classes from './lobby.module.css'

const BackgroundChoice = lazy(() => import('../live/background/Choice.tsx'))

const icons = {
  camera: [IconVideoOff, IconVideo],
  microphone: [IconMicrophoneOff, IconMicrophone],
} as const

interface SwitchProps {
  input: Input
  capture: Capture
  isOn: boolean
  onChange: (isOn: boolean) => void
}

const Switch = ({ input, capture, isOn, onChange }: SwitchProps) => {
  const { t } = useTranslation()
  const isUsable = capture.problem === null
  const Icon = icons[input][isOn && isUsable ? 1 : 0]
  const label = t(`lobby.${input}.${isOn && isUsable ? 'on' : 'off'}`)
  return (
    <Tooltip label={label}>
      <UnstyledButton
        className={classes.switch}
        aria-label={t(`device.${input}`)}
        aria-pressed={isOn && isUsable}
        data-on={isOn && isUsable}
        onClick={() => onChange(!isOn)}
      >
        <Icon size={24} aria-hidden />
      </UnstyledButton>
    </Tooltip>
  )
}

const Picture = ({ stream }: { stream: MediaStream }) => {
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    if (video.current) video.current.srcObject = stream
  }, [stream])
  return <video ref={video} className={classes.picture} autoPlay muted playsInline aria-hidden />
}

interface PreviewProps {
  choices: DeviceChoices
  onChange: (choices: DeviceChoices) => void
}

/** How the others will see and hear the person, and with what. */
export const Preview = ({ choices, onChange }: PreviewProps) => {
  const { t } = useTranslation()
  const camera = useCapture('camera', choices.camera.isOn, choices.camera.id)
  const microphone = useCapture('microphone', choices.microphone.isOn, choices.microphone.id)
  const cameras = useInputs('camera', camera.stream !== null)
  const microphones = useInputs('microphone', microphone.stream !== null)
  const set = (input: Input, change: Partial<DeviceChoices[Input]>) =>
    onChange({ ...choices, [input]: { ...choices[input], ...change } })

  const [backgroundProblem, setBackgroundProblem] = useState<'failed' | 'slow' | null>(null)
  const latest = useRef(choices)
  latest.current = choices
  const giveUpBackground = useCallback(
    (why: 'failed' | 'slow') => {
      setBackgroundProblem(why)
      onChange({ ...latest.current, background: 'none' })
    },
    [onChange],
  )
  const backdrop = useBackdrop(camera.stream, choices.background, giveUpBackground)
  const picture = backdrop.stream ?? camera.stream

  // What is gone is not asked for again in the call.
  const missing = camera.isOther ? 'camera' : microphone.isOther ? 'microphone' : null
  useEffect(() => {
    if (missing) onChange({ ...choices, [missing]: { ...choices[missing], id: null } })
  }, [missing, choices, onChange])

  // The same cause on both is told once.
  const problems = (['camera', 'microphone'] as const).flatMap(input => {
    const { problem } = input === 'camera' ? camera : microphone
    return problem === null ? [] : [{ input, problem }]
  })
  const [first, second] = problems
  const told =
    first && second && first.problem === second.problem
      ? [t(`device.both.${first.problem}`)]
      : problems.map(({ input, problem }) => t(`device.${input}.${problem}`))
  if (backgroundProblem) told.push(t(`background.${backgroundProblem}`))

  return (
    <div className={classes.preview}>
      <div className={classes.screen}>
        {picture ? (
          <Picture stream={picture} />
        ) : (
          <Text className={classes.blank}>
            {choices.camera.isOn && !camera.problem ? t('lobby.camera.starting') : t('lobby.noPicture')}
          </Text>
        )}
        <div className={classes.switches}>
          <Switch
            input="microphone"
            capture={microphone}
            isOn={choices.microphone.isOn}
            onChange={isOn => set('microphone', { isOn })}
          />
          <Switch
            input="camera"
            capture={camera}
            isOn={choices.camera.isOn}
            onChange={isOn => set('camera', { isOn })}
          />
        </div>
        <Meter stream={microphone.stream} />
      </div>
      {told.map(text => (
        <Text key={text} size="sm" role="status" className={classes.problem}>
          {text}
        </Text>
      ))}
      <div className={classes.choices}>
        {(
          [
            ['microphone', microphones],
            ['camera', cameras],
          ] as const
        ).map(([input, devices]) => (
          <NativeSelect
            key={input}
            aria-label={t(`device.${input}`)}
            leftSection={input === 'camera' ? <IconVideo size={18} /> : <IconMicrophone size={18} />}
            disabled={devices.length === 0}
            value={choices[input].id ?? devices[0]?.deviceId ?? ''}
            onChange={event => set(input, { id: event.currentTarget.value })}
            data={
              devices.length > 0
                ? devices.map(({ deviceId, label }) => ({ value: deviceId, label }))
                : [{ value: '', label: t(`lobby.${input}.unknown`) }]
            }
          />
        ))}
      </div>
      {camera.stream && canChangeBackground() && (
        <Suspense>
          <BackgroundChoice
            chosen={choices.background}
            isPending={backdrop.isPending}
            onChoose={background => {
              setBackgroundProblem(null)
              onChange({ ...choices, background })
            }}
          />
        </Suspense>
      )}
    </div>
  )
}
