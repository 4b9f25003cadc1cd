import { Box, Button, Group, Input, Skeleton, Text, useComputedColorScheme } from '@mantine/core'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { codeOf } from '../../ui/api.ts'
import { captcha, showWidget, type Widget } from './widget.ts'

type State = 'loading' | 'asked' | 'solved' | 'expired' | 'failed'

interface CaptchaFieldProps {
  /** What the service said of the answer. */
  error: string | undefined
  /** Why the form was refused, for whatever reason: the answer sent with it is spent. */
  refusal: unknown
}

/** The widget, and its answer as a field of the form. */
export const CaptchaField = ({ error, refusal }: CaptchaFieldProps) => {
  const { t, i18n } = useTranslation()
  const theme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const ids = { label: useId(), note: useId() }
  const place = useRef<HTMLDivElement>(null)
  const widget = useRef<Widget | null>(null)
  const [state, setState] = useState<State>('loading')
  const [token, setToken] = useState('')
  const [round, setRound] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: every round is a new try
  useEffect(() => {
    if (!captcha || !place.current) return
    let isGone = false
    const become = (next: State, answer = '') => {
      if (isGone) return
      setState(next)
      setToken(answer)
    }
    become('loading')
    showWidget(captcha, place.current, {
      language: i18n.language,
      theme,
      onToken: answer => become('solved', answer),
      onExpired: () => become('expired'),
      onError: () => become('failed'),
    }).then(
      shown => {
        if (isGone) return shown.remove()
        widget.current = shown
        setState(before => (before === 'loading' ? 'asked' : before))
      },
      () => become('failed'),
    )
    return () => {
      isGone = true
      widget.current?.remove()
      widget.current = null
    }
  }, [i18n.language, theme, round])

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the refusal that spends the answer
  useEffect(() => {
    // Where nothing was sent nothing is spent, and whoever is in the middle of it goes on.
    if (!refusal || token === '') return
    setToken('')
    setState('asked')
    widget.current?.reset()
  }, [refusal])

  const refused = codeOf(refusal) === 'captcha_required' ? t('captcha.required') : error
  const note = state === 'expired' ? t('captcha.expired') : state === 'solved' ? undefined : refused
  const hasNote = state === 'failed' || note !== undefined
  return (
    <Box
      role="group"
      tabIndex={-1}
      aria-labelledby={ids.label}
      aria-describedby={hasNote ? ids.note : undefined}
      aria-busy={state === 'loading'}
      data-invalid={hasNote}
    >
      <Input.Label labelElement="div" id={ids.label} mb={4}>
        {t('captcha')}
      </Input.Label>
      {state === 'loading' && <Skeleton h={65} maw={304} />}
      {/* In the light scheme a frame of another site shows what is behind it; else it is painted white. */}
      <div ref={place} style={{ colorScheme: 'light' }} />
      <div id={ids.note} role="alert">
        {state === 'failed' ? (
          <Group gap="sm" mt={4}>
            <Text size="sm" c="var(--mantine-color-error)">
              {t('captcha.failed', { host: captcha?.host })}
            </Text>
            <Button size="xs" variant="default" onClick={() => setRound(round + 1)}>
              {t('tryAgain')}
            </Button>
          </Group>
        ) : (
          note !== undefined && <Input.Error mt={4}>{note}</Input.Error>
        )}
      </div>
      <input type="hidden" name="captchaToken" value={token} />
    </Box>
  )
}
