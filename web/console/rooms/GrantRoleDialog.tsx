import { Alert, SegmentedControl, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RoomRole } from '../../../contract/roles.ts'
import { findRole, grantRole, useRole } from '../data/roles.ts'
import type { Room } from '../data/rooms.ts'
import { managesSpace } from '../may.ts'
import { MemberSelect } from '../people/MemberSelect.tsx'
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

const isWholeId = (text: string) => text.length === 36

/** To a member, or to anyone by their id; a room moderator who may not see the members has the id alone. */
export const GrantRoleDialog = ({ room, opened, onClose }: GrantRoleDialogProps) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const seesMembers = managesSpace(space)
  const [by, setBy] = useState<'member' | 'id'>(seesMembers ? 'member' : 'id')
  const [userId, setUserId] = useState('')
  const [chosen, setChosen] = useState<RoomRole | null>(null)
  const current = useRole(room, userId, isWholeId(userId)).data?.role
  const role = chosen ?? current ?? 'role_room_user'
  const isLowered = current === 'role_room_moderator' && role === 'role_room_user'
  const close = () => {
    setUserId('')
    setChosen(null)
    onClose()
  }
  const send = async (fields: FormData) => {
    const id = requiredText(fields, 'targetUserId')
    // Nobody is made less than they are without being asked about, also if that is not known here yet.
    await grantRole(room, id, chosen ?? (await findRole(room, id))?.role ?? 'role_room_user')
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
              <MemberSelect
                name="targetUserId"
                label={t('roles.user')}
                except={room.creatorId}
                onChoose={setUserId}
                error={errorAt('targetUserId')}
              />
            ) : (
              <TextInput
                name="targetUserId"
                label={t('userId')}
                description={t('roles.byId.text')}
                value={userId}
                onChange={event => setUserId(event.currentTarget.value.trim())}
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
              onChange={setChosen}
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
