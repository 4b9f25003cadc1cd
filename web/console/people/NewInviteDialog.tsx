import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InviteRole } from '../../../contract/invites.ts'
import { createInvite } from '../data/invites.ts'
import { mayInvite } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Choices } from '../ui/Choices.tsx'
import { Form, textOf } from '../ui/Form.tsx'
import { LinkDialog } from '../ui/LinkDialog.tsx'

const roles: InviteRole[] = ['role_space_user', 'role_space_moderator']

export const NewInviteDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const [role, setRole] = useState<InviteRole>('role_space_user')
  return (
    <LinkDialog texts="invites" opened={opened} onClose={onClose}>
      {onCreated => (
        <Form
          submitLabel={t('invites.create.submit')}
          send={async fields => onCreated(await createInvite(space.id, role, textOf(fields, 'label')))}
          onCancel={onClose}
        >
          {errorAt => (
            <>
              <TextInput
                name="label"
                label={t('invites.for')}
                description={t('invites.for.text')}
                maxLength={200}
                autoComplete="off"
                error={errorAt('label')}
              />
              <Choices
                label={t('invites.as')}
                values={roles.filter(choice => mayInvite(space, choice))}
                keyOf={value => `invites.as.${value}`}
                value={role}
                onChange={setRole}
                error={errorAt('role')}
              />
            </>
          )}
        </Form>
      )}
    </LinkDialog>
  )
}
