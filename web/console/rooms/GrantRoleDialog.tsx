import { Alert, SegmentedControl, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RoomRole } from '../../../contract/roles.ts'
import { useAllMembers } from '../data/members.ts'
import { grantRole, useRoles } from '../data/roles.ts'
import type { Room } from '../data/rooms.ts'
import { managesSpace } from '../may.ts'
import { memberOptions } from '../people/memberOptions.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Choices } from '../ui/Choices.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, requiredText } from '../ui/Form.tsx'
import { RoleLoss } from './RoleLoss.tsx'

interface GrantRoleDialogProps {
  room: Room
  opened: boolean
  onClose: () => void
}

/** To a member, or to anyone by their id; a room moderator who may not see the members has the id alone. */
export const GrantRoleDialog = ({ room, opened, onClose }: GrantRoleDialogProps) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const seesMembers = managesSpace(space)
  const [by, setBy] = useState<'member' | 'id'>(seesMembers ? 'member' : 'id')
  const [userId, setUserId] = useState('')
  const [role, setRole] = useState<RoomRole>('role_room_user')
  const { data: members = [] } = useAllMembers(space.id, seesMembers && opened)
  const roles = useRoles(room).data ?? []
  const current = roles.find(one => one.userId === userId)?.role
  const isLowered = current === 'role_room_moderator' && role === 'role_room_user'
  const choose = (id: string) => {
    setUserId(id)
    setRole(roles.find(one => one.userId === id)?.role ?? role)
  }
  const close = () => {
    setUserId('')
    setRole('role_room_user')
    onClose()
  }
  const send = async (fields: FormData) => {
    await grantRole(room, requiredText(fields, 'targetUserId'), role)
    close()
  }
  return (
    <Dialog opened={opened} onClose={close} title={t('roles.grant')}>
      <Form submitLabel={t('roles.grant.submit')} send={send} needs={['targetUserId']} onCancel={close}>
        {errorAt => (
          <>
            {seesMembers && (
              <SegmentedControl
                fullWidth
                aria-label={t('roles.user')}
                value={by}
                onChange={value => {
                  setBy(value as typeof by)
                  setUserId('')
                }}
                data={[
                  { value: 'member', label: t('roles.member') },
                  { value: 'id', label: t('roles.byId') },
                ]}
              />
            )}
            {by === 'member' ? (
              <Select
                name="targetUserId"
                label={t('roles.user')}
                data={memberOptions(members.filter(({ userId }) => userId !== room.creatorId))}
                value={userId === '' ? null : userId}
                onChange={value => choose(value ?? '')}
                searchable
                nothingFoundMessage={t('roles.member.none')}
                error={errorAt('targetUserId')}
              />
            ) : (
              <TextInput
                name="targetUserId"
                label={t('userId')}
                description={t('roles.byId.text')}
                value={userId}
                onChange={event => choose(event.currentTarget.value.trim())}
                autoComplete="off"
                error={errorAt('targetUserId')}
              />
            )}
            <Choices
              name="role"
              label={t('role')}
              values={['role_room_user', 'role_room_moderator']}
              keyOf={value => `roomRole.${value}`}
              value={role}
              onChange={setRole}
            />
            {isLowered && (
              <Alert color="red" variant="light">
                <RoleLoss room={room} userId={userId} />
              </Alert>
            )}
          </>
        )}
      </Form>
    </Dialog>
  )
}
