import { useTranslation } from 'react-i18next'
import type { InviteRole } from '../../../contract/invites.ts'
import { type Member, setMemberRole } from '../data/members.ts'
import { ownsSpace } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { ConfirmButton } from '../ui/Confirm.tsx'

/** Makes a moderator of a member, or the other way round: the owner's alone, and never with the owner. */
export const MemberRole = ({ member }: { member: Member }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  if (!ownsSpace(space) || member.role === 'role_space_owner') return null
  const other: InviteRole = member.role === 'role_space_user' ? 'role_space_moderator' : 'role_space_user'
  const name = member.displayName
  return (
    <ConfirmButton
      label={t(`members.make.${other}`)}
      ariaLabel={t(`members.make.${other}.named`, { name })}
      title={t(`members.make.${other}.title`, { name })}
      text={t(`members.make.${other}.text`)}
      confirmLabel={t(`members.make.${other}`)}
      isHarmless={other === 'role_space_moderator'}
      onConfirm={() => setMemberRole(space.id, member.userId, other)}
    />
  )
}
