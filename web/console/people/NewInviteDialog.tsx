import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InviteRole } from '../../../contract/invites.ts'
import { createInvite } from '../data/invites.ts'
import { mayInvite } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Choices } from '../ui/Choices.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Form } from '../ui/Form.tsx'
import { LinkToSend } from '../ui/LinkToSend.tsx'

const roles: InviteRole[] = ['role_space_user', 'role_space_moderator']

export const NewInviteDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const [role, setRole] = useState<InviteRole>('role_space_user')
  const [url, setUrl] = useState<string | null>(null)
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setUrl(null)}
      title={t(url ? 'invites.ready' : 'invites.create')}
    >
      {url ? (
        <LinkToSend label={t('invites.link')} url={url} text={t('invites.ready.text')} onClose={onClose} />
      ) : (
        <Form
          submitLabel={t('invites.create.submit')}
          send={async () => setUrl(await createInvite(space.id, role))}
          onCancel={onClose}
        >
          {errorAt => (
            <Choices
              label={t('invites.as')}
              texts="invites.as"
              values={roles.filter(choice => mayInvite(space, choice))}
              value={role}
              onChange={setRole}
              error={errorAt('role')}
            />
          )}
        </Form>
      )}
    </Dialog>
  )
}
