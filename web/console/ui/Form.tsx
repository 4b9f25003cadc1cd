import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { codeOf } from '../../ui/api.ts'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { fieldErrors } from '../../ui/problem.ts'
import { CaptchaField } from '../captcha/CaptchaField.tsx'
import { captcha } from '../captcha/widget.ts'

interface FormProps {
  submitLabel: string
  /** Sends it; what the service refuses is shown at its field, the rest below. */
  send: (fields: FormData) => Promise<unknown>
  /** The fields by their names in the contract; `errorAt` tells what is wrong with one. */
  children: (errorAt: (field: string) => string | undefined) => ReactNode
  /** Required like the inputs marked so, where the choice is not an input of the form's own. */
  needs?: readonly string[]
  onCancel?: () => void
  fullWidth?: boolean
  /** Where the installation has a captcha: from the start, or once the service asks for it. Sent as `captchaToken`. */
  withCaptcha?: 'always' | 'whenAsked'
  /** Not what the page is for: its button stays in the background. */
  isAside?: boolean
}

/** What a field holds, trimmed; undefined when left empty. */
export const textOf = (fields: FormData, name: string) => String(fields.get(name) ?? '').trim() || undefined
/** The same, for what is required: nothing is sent while it is empty. */
export const requiredText = (fields: FormData, name: string) => textOf(fields, name) ?? ''

/** The names of the inputs that are required and empty. A password may be made of spaces. */
const emptyInputs = (form: HTMLFormElement) =>
  [...form.elements].flatMap(input => {
    if (!(input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement)) return []
    const isEmpty = (input.type === 'password' ? input.value : input.value.trim()) === ''
    return input.required && !input.disabled && input.name !== '' && isEmpty ? [input.name] : []
  })

/** Drawn after the fields: those inside of a component have asked for their errors only by then. */
const UnlessAtFields = ({ isAtFields, error }: { isAtFields: () => boolean; error: unknown }) =>
  isAtFields() ? null : <ProblemNotice error={error} />

export const Form = ({
  submitLabel,
  send,
  children,
  needs = [],
  onCancel,
  fullWidth,
  withCaptcha,
  isAside,
}: FormProps) => {
  const { t } = useTranslation()
  const form = useRef<HTMLFormElement>(null)
  const [isCaptchaAsked, setCaptchaAsked] = useState(withCaptcha === 'always')
  const [missing, setMissing] = useState<string[]>([])
  const { mutate, error, isPending } = useMutation({
    mutationFn: send,
    onError: refusal => {
      if (withCaptcha && codeOf(refusal) === 'captcha_required') setCaptchaAsked(true)
    },
  })
  useEffect(() => {
    const wrong = '[aria-invalid="true"], [role="group"][data-invalid="true"]'
    if (error || missing.length > 0) form.current?.querySelector<HTMLElement>(wrong)?.focus()
  }, [error, missing])

  const errors =
    missing.length > 0 ? new Map(missing.map(field => [field, t('field.required')])) : fieldErrors(error, t)
  const asked = new Set<string>()
  const fields = children(field => {
    asked.add(field)
    return errors.get(field)
  })
  const hasCaptcha = captcha !== null && isCaptchaAsked
  if (hasCaptcha) asked.add('captchaToken')
  // An error at a field says it all; one that no field here takes is shown below.
  const isAtFields = () => errors.size > 0 && [...errors.keys()].every(field => asked.has(field))

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending) return
    const given = new FormData(event.currentTarget)
    const absent = [...emptyInputs(event.currentTarget), ...needs.filter(field => textOf(given, field) === undefined)]
    setMissing(absent)
    if (absent.length === 0) mutate(given)
  }
  return (
    // Never by GET, which would put the fields into the address.
    <form ref={form} method="post" onSubmit={submit} noValidate>
      <Stack gap="md">
        {fields}
        {hasCaptcha && <CaptchaField error={errors.get('captchaToken')} refusal={error} />}
        {error && <UnlessAtFields isAtFields={isAtFields} error={error} />}
        <Group gap="xs" justify={onCancel ? 'flex-end' : 'flex-start'}>
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {t('cancel')}
            </Button>
          )}
          <Button type="submit" loading={isPending} fullWidth={fullWidth} variant={isAside ? 'default' : 'filled'}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
