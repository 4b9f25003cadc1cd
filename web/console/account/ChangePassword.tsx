import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { changePassword } from '../data/account.ts'
import { useMe } from '../data/session.ts'
import { Form } from '../ui/Form.tsx'
import { tell } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'

export const ChangePassword = () => {
  const { t } = useTranslation()
  const me = useMe()
  const [changes, setChanges] = useState(0)
  const send = async (fields: FormData) => {
    await changePassword(String(fields.get('currentPassword')), String(fields.get('newPassword')))
    setChanges(changes + 1)
    tell(t('account.password.done'))
  }
  return (
    <Section title={t('password')} description={t('account.password.text')}>
      {/* Emptied by starting anew. */}
      <Form key={changes} submitLabel={t('account.password.submit')} send={send} isAside>
        {errorAt => (
          <>
            {/* So that password managers know whose it is. */}
            <input type="text" name="username" autoComplete="username" value={me.username} readOnly hidden />
            <PasswordField
              name="currentPassword"
              label={t('account.password.current')}
              autoComplete="current-password"
              error={errorAt('currentPassword')}
            />
            <PasswordField
              name="newPassword"
              label={t('account.password.new')}
              description={t('password.text')}
              autoComplete="new-password"
              error={errorAt('newPassword')}
            />
          </>
        )}
      </Form>
    </Section>
  )
}
