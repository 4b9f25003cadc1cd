import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InviteRole } from '../../../contract/invites.ts'
import { addMember } from '../data/members.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Choices } from '../ui/Choices.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, requiredText } from '../ui/Form.tsx'
import { tell } from '../ui/notify.ts'

/** Whether the operator lets owners add users without an invite. */
export const hasDirectMembers = document.querySelector<HTMLMetaElement>('meta[name="direct-members"]')?.content === 'on'

/** Someone who has an account, by its id or email address. */
export const AddMemberDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const [role, setRole] = useState<InviteRole>('role_space_user')
  // The next one is no moderator unless that is chosen again.
  const close = () => {
    setRole('role_space_user')
    onClose()
  }
  const send = async (fields: FormData) => {
    const user = requiredText(fields, 'user')
    const isEmail = user.includes('@')
    await addMember(space.id, isEmail ? { email: user } : { userId: user }, role)
    // The service doesn't tell whether an address has an account.
    if (isEmail) tell(t('members.add.done', { email: user }))
    close()
  }
  return (
    <Dialog opened={opened} onClose={close} title={t('members.add')}>
      <Form submitLabel={t('members.add.submit')} send={send} onCancel={close}>
        {errorAt => (
          <>
            <TextInput
              name="user"
              label={t('members.add.user')}
              description={t('members.add.user.text')}
              required
              autoComplete="off"
              error={errorAt('user') ?? errorAt('email') ?? errorAt('userId')}
            />
            <Choices
              label={t('role')}
              values={['role_space_user', 'role_space_moderator']}
              keyOf={value => `invites.as.${value}`}
              value={role}
              onChange={setRole}
              error={errorAt('role')}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}
