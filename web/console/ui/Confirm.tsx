import { Button, type ButtonProps, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { Dialog } from './Dialog.tsx'

interface ConfirmProps {
  title: string
  /** What will be lost. */
  text: ReactNode
  confirmLabel: string
  /** What else is asked. */
  fields?: ReactNode
  /** Nothing is lost by it. */
  isHarmless?: boolean
  /** To be typed first, where much is lost. */
  typedName?: string
  onConfirm: (fields: FormData) => Promise<unknown>
}

/** Asks before a loss. It closes once that has happened, and stays with the reason when it has not. */
export const ConfirmDialog = ({
  opened,
  onClose,
  title,
  text,
  fields,
  confirmLabel,
  typedName,
  isHarmless = false,
  onConfirm,
}: ConfirmProps & { opened: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const { mutate, error, isPending, reset } = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  const close = () => {
    setTyped('')
    reset()
    onClose()
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    mutate(new FormData(event.currentTarget))
  }
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" component="div">
            {text}
          </Text>
          {fields}
          {typedName !== undefined && (
            <TextInput
              label={t('confirm.type', { name: typedName })}
              value={typed}
              onChange={event => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {error && <ProblemNotice error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus={typedName === undefined || undefined}>
              {t('cancel')}
            </Button>
            <Button
              type="submit"
              {...(!isHarmless && { color: 'red' })}
              loading={isPending}
              disabled={typedName !== undefined && typed.trim() !== typedName}
            >
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** A button for what is asked about first, mostly for it takes something away. */
export const ConfirmButton = ({
  label,
  ariaLabel,
  size = 'compact-xs',
  variant = 'subtle',
  leftSection,
  ...confirm
}: ConfirmProps & { label: string; ariaLabel?: string } & Pick<ButtonProps, 'size' | 'variant' | 'leftSection'>) => {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button
        size={size}
        variant={variant}
        {...(!confirm.isHarmless && { color: 'red', c: 'var(--mantine-color-red-text)' })}
        leftSection={leftSection}
        onClick={open}
        {...(ariaLabel !== undefined && { 'aria-label': ariaLabel })}
      >
        {label}
      </Button>
      <ConfirmDialog {...confirm} opened={opened} onClose={close} />
    </>
  )
}
