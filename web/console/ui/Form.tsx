import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { fieldErrors } from '../../ui/problem.ts'

export interface FormProps {
  submitLabel: string
  /** Sends it; what the service refuses is shown at its field, the rest below. */
  send: (fields: FormData) => Promise<unknown>
  /** The fields by their names in the contract; `errorAt` tells what is wrong with one. */
  children: (errorAt: (field: string) => string | undefined) => ReactNode
  onCancel?: () => void
  fullWidth?: boolean
  /** Not what the page is for: its button stays in the background. */
  isAside?: boolean
}

/** What a field holds, trimmed; undefined when left empty. */
export const textOf = (fields: FormData, name: string) => String(fields.get(name) ?? '').trim() || undefined
/** The same, for what is required: the service says so when it is empty. */
export const requiredText = (fields: FormData, name: string) => textOf(fields, name) ?? ''

export const Form = ({ submitLabel, send, children, onCancel, fullWidth, isAside }: FormProps) => {
  const { t } = useTranslation()
  const form = useRef<HTMLFormElement>(null)
  const { mutate, error, isPending } = useMutation({ mutationFn: send })
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])

  const errors = fieldErrors(error, t)
  const asked = new Set<string>()
  const fields = children(field => {
    asked.add(field)
    return errors.get(field)
  })
  // An error at a field says it all; one that no field here takes is shown below.
  const isAtFields = errors.size > 0 && [...errors.keys()].every(field => asked.has(field))

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isPending) mutate(new FormData(event.currentTarget))
  }
  return (
    // Never by GET, which would put the fields into the address.
    <form ref={form} method="post" onSubmit={submit} noValidate>
      <Stack gap="md">
        {fields}
        {error && !isAtFields && <ProblemNotice error={error} />}
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
