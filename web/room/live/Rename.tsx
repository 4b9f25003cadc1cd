import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAttempt } from './attempt.ts'
import { useLive } from './context.ts'
import { Dialog } from './Dialog.tsx'

const Form = ({ onDone }: { onDone: () => void }) => {
  const { t } = useTranslation()
  const { joinedCall, self } = useLive()
  const { client, access } = joinedCall
  const attempt = useAttempt()
  const before = self?.name ?? joinedCall.joined.name
  const [name, setName] = useState(before)
  const [isTried, setTried] = useState(false)
  const isMissing = name.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (isMissing) return
    onDone()
    const { spaceId, roomId } = access
    if (name.trim() !== before) void attempt(client.setCallName({ spaceId, roomId, name: name.trim() }))
  }
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        data-autofocus
        label={t('lobby.name')}
        description={t('rename.text')}
        maxLength={100}
        autoComplete="name"
        value={name}
        error={isTried && isMissing && t('lobby.nameMissing')}
        onChange={event => setName(event.currentTarget.value)}
      />
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onDone}>
          {t('cancel')}
        </Button>
        <Button type="submit">{t('rename.save')}</Button>
      </Group>
    </form>
  )
}

/** The person's own name in this call. */
export const Rename = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t('rename.title')}>
      <Form onDone={onClose} />
    </Dialog>
  )
}
