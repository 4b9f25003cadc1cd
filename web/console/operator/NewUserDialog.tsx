import { Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { createUser } from '../data/operator.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, requiredText, textOf } from '../ui/Form.tsx'
import { newPassword } from './password.ts'

interface NewUserDialogProps {
  opened: boolean
  onClose: () => void
  onCreated: (credentials: { username: string; password: string }) => void
}

/** The password is made here and shown once, for the operator to pass on. */
export const NewUserDialog = ({ opened, onClose, onCreated }: NewUserDialogProps) => {
  const { t } = useTranslation()
  const send = async (fields: FormData) => {
    const username = requiredText(fields, 'username')
    const password = newPassword()
    const captchaToken = textOf(fields, 'captchaToken')
    await createUser({ email: requiredText(fields, 'email'), username, password, captchaToken })
    onClose()
    onCreated({ username, password })
  }
  return (
    <Dialog opened={opened} onClose={onClose} title={t('users.create')}>
      <Form submitLabel={t('users.create.submit')} send={send} withCaptcha="always" onCancel={onClose}>
        {errorAt => (
          <>
            <Text size="sm">{t('users.create.text')}</Text>
            <TextInput
              name="email"
              type="email"
              label={t('email')}
              autoComplete="off"
              required
              data-autofocus
              error={errorAt('email')}
            />
            <TextInput name="username" label={t('username')} autoComplete="off" required error={errorAt('username')} />
          </>
        )}
      </Form>
    </Dialog>
  )
}
