import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CopyId } from '../../ui/CopyId.tsx'
import { updateMe } from '../data/account.ts'
import { useMe } from '../data/session.ts'
import { Facts } from '../ui/Facts.tsx'
import { Form, requiredText, textOf } from '../ui/Form.tsx'
import { tell } from '../ui/notify.ts'
import { Page, Section } from '../ui/Page.tsx'
import { ChangePassword } from './ChangePassword.tsx'
import { Sessions } from './Sessions.tsx'

export const AccountPage = () => {
  const { t } = useTranslation()
  const me = useMe()
  return (
    <Page title={t('account.title')}>
      <Facts facts={[[t('account.id'), <CopyId key="id" value={me.id} />]]} />
      <Profile />
      <ChangePassword />
      <Sessions />
    </Page>
  )
}

const Profile = () => {
  const { t } = useTranslation()
  const me = useMe()
  const send = async (fields: FormData) => {
    const displayName = textOf(fields, 'displayName')
    const username = requiredText(fields, 'username')
    await updateMe({
      email: requiredText(fields, 'email'),
      username,
      // Nothing of its own: then it goes on following the username.
      displayName: displayName === undefined || displayName === username ? null : displayName,
      phone: textOf(fields, 'phone') ?? null,
    })
    tell(t('saved'))
  }
  return (
    <Section title={t('account.profile')}>
      <Form submitLabel={t('save')} send={send}>
        {errorAt => (
          <>
            <TextInput
              name="displayName"
              label={t('account.displayName')}
              description={t('account.displayName.text')}
              autoComplete="name"
              maxLength={200}
              defaultValue={me.displayName}
              error={errorAt('displayName')}
            />
            <TextInput
              name="username"
              label={t('username')}
              autoComplete="username"
              required
              withAsterisk={false}
              defaultValue={me.username}
              error={errorAt('username')}
            />
            <TextInput
              name="email"
              type="email"
              label={t('email')}
              autoComplete="email"
              required
              withAsterisk={false}
              defaultValue={me.email}
              error={errorAt('email')}
            />
            <TextInput
              name="phone"
              type="tel"
              label={t('account.phone')}
              description={t('optional')}
              autoComplete="tel"
              defaultValue={me.phone ?? ''}
              error={errorAt('phone')}
            />
          </>
        )}
      </Form>
    </Section>
  )
}
