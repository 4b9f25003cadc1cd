import { useTranslation } from 'react-i18next'
import { Navigate, useSearchParams } from 'react-router'
import { signIn, useSession } from '../data/session.ts'
import { Form, requiredText, textOf } from '../ui/Form.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { useTitle } from '../ui/title.ts'
import { UsernameField } from '../ui/UsernameField.tsx'
import { isConsolePath, safeNext } from './next.ts'
import { StandalonePage } from './StandalonePage.tsx'

export const SignInPage = () => {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const session = useSession()
  useTitle(t('signIn.title'))
  const next = search.get('next')
  if (session.data) return <GoTo path={safeNext(next)} />
  return (
    <StandalonePage title={t('signIn.title')} text={t(next === null ? 'signIn.text' : 'signIn.textNext')}>
      <SignInForm />
    </StandalonePage>
  )
}

const GoTo = ({ path }: { path: string }) => {
  if (isConsolePath(path)) return <Navigate to={path} replace />
  location.replace(path)
  return null
}

/** A form like any other to password managers. */
export const SignInForm = ({ submitLabel, onSignedIn }: { submitLabel?: string; onSignedIn?: () => void }) => {
  const { t } = useTranslation()
  const send = async (fields: FormData) => {
    await signIn({
      username: requiredText(fields, 'username'),
      password: String(fields.get('password')),
      captchaToken: textOf(fields, 'captchaToken'),
    })
    onSignedIn?.()
  }
  return (
    <Form submitLabel={submitLabel ?? t('signIn.submit')} send={send} withCaptcha="whenAsked" fullWidth>
      {errorAt => (
        <>
          <UsernameField label={t('signIn.username')} error={errorAt('username')} />
          <PasswordField
            name="password"
            label={t('password')}
            autoComplete="current-password"
            error={errorAt('password')}
          />
        </>
      )}
    </Form>
  )
}
