import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type InviteReference, register } from '../data/invites.ts'
import { Form, requiredText, textOf } from '../ui/Form.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { UsernameField } from '../ui/UsernameField.tsx'

interface RegisterFormProps {
  invite: InviteReference
  onRegistered: () => Promise<void>
}

export const RegisterForm = ({ invite, onRegistered }: RegisterFormProps) => {
  const { t } = useTranslation()
  const send = async (fields: FormData) => {
    await register(invite, {
      email: requiredText(fields, 'email'),
      username: requiredText(fields, 'username'),
      password: String(fields.get('password')),
      captchaToken: textOf(fields, 'captchaToken'),
    })
    await onRegistered()
  }
  return (
    <Form submitLabel={t('invite.register')} send={send} withCaptcha="always" fullWidth>
      {errorAt => (
        <>
          <TextInput
            name="email"
            type="email"
            label={t('email')}
            autoComplete="email"
            required
            withAsterisk={false}
            error={errorAt('email')}
          />
          <UsernameField label={t('username')} description={t('username.text')} error={errorAt('username')} />
          <PasswordField
            name="password"
            label={t('password')}
            description={t('password.text')}
            autoComplete="new-password"
            error={errorAt('password')}
          />
        </>
      )}
    </Form>
  )
}
