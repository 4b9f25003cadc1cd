import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { codeOf } from '../../ui/api.ts'
import { fieldErrors } from '../../ui/problem.ts'
import { useLive } from './context.ts'
import { Dialog } from './Dialog.tsx'
import { refusalText } from './refusal.ts'

/** Asks where to stream the call to, and starts it. */
export const StreamDialog = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  const { joinedCall, refresh } = useLive()
  const { spaceId, roomId } = joinedCall.access
  const [url, setUrl] = useState('')
  const start = useMutation({
    mutationFn: () => joinedCall.client.startStream({ spaceId, roomId, ...(url.trim() && { url: url.trim() }) }),
    onSuccess: async () => {
      close()
      await refresh()
    },
  })
  const close = () => {
    // It has a key in it.
    setUrl('')
    start.reset()
    onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate()
  }
  const urlError =
    codeOf(start.error) === 'invalid_request' ? t('live.stream.url.wrong') : fieldErrors(start.error, t).get('url')
  return (
    <Dialog opened={isOpen} onClose={close} title={t('live.stream.ask.title')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>{t('live.stream.ask.text')}</Text>
          <PasswordInput
            label={t('live.stream.url')}
            description={t('live.stream.url.text')}
            placeholder="rtmps://…"
            // Not one of the person's passwords.
            autoComplete="off"
            data-1p-ignore
            spellCheck={false}
            maxLength={900}
            visibilityToggleButtonProps={{ 'aria-label': t('live.stream.url.show') }}
            value={url}
            error={urlError}
            onChange={event => {
              setUrl(event.currentTarget.value)
              if (start.error) start.reset()
            }}
          />
          {start.error && !urlError && (
            <Text role="alert">{refusalText(start.error, t, { recorder_off: 'live.stream.off' })}</Text>
          )}
        </Stack>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={start.isPending}>
            {t('live.stream.start')}
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
