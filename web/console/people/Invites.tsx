import { Badge, Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconMail, IconPlus, IconUsersPlus } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { type Invite, inviteUrl, revokeInvite, useInvites } from '../data/invites.ts'
import { renew } from '../data/query.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { CopyLinkButton } from '../ui/CopyLinkButton.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Section } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { ManyInvitesDialog } from './ManyInvitesDialog.tsx'
import { NewInviteDialog } from './NewInviteDialog.tsx'

type State = 'open' | 'used' | 'revoked'
const stateOf = ({ usedAt, revokedAt }: Invite): State =>
  usedAt !== null ? 'used' : revokedAt !== null ? 'revoked' : 'open'
const colors: Record<State, string> = { open: 'iris', used: 'teal', revoked: 'gray' }

export const Invites = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const invites = useInvites(space.id)
  // Whoever has used one is a member since then.
  const usedCount = invites.data?.filter(({ usedAt }) => usedAt !== null).length
  const knownCount = useRef(usedCount)
  useEffect(() => {
    if (knownCount.current !== undefined && usedCount !== knownCount.current) void renew('members', space.id)
    knownCount.current = usedCount
  }, [usedCount, space.id])
  const [isCreating, { open, close }] = useDisclosure()
  const [isInvitingMany, many] = useDisclosure()
  const create = (
    <>
      <Button variant="default" leftSection={<IconUsersPlus size={16} aria-hidden />} onClick={many.open}>
        {t('invites.many')}
      </Button>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {t('invites.create')}
      </Button>
    </>
  )
  const hasInvites = (invites.data?.length ?? 0) > 0
  return (
    <Section title={t('invites.title')} description={t('invites.text')} actions={hasInvites && create}>
      <PagedRecords
        label={t('invites.title')}
        pages={invites}
        idOf={invite => invite.id}
        empty={
          <Empty
            icon={IconMail}
            title={t('invites.empty.title')}
            text={t('invites.empty.text')}
            action={
              <Group gap="xs" justify="center">
                {create}
              </Group>
            }
          />
        }
        columns={[
          { head: t('invites.for'), isName: true, cell: invite => invite.label ?? t('invites.anyone') },
          { head: t('role'), cell: invite => t(`role.${invite.role}`) },
          {
            head: t('state'),
            cell: invite => (
              <Group gap="xs">
                <Badge variant="light" color={colors[stateOf(invite)]} tt="none">
                  {t(`invites.${stateOf(invite)}`)}
                </Badge>
                {invite.usedByName}
              </Group>
            ),
          },
          { head: t('created'), cell: invite => <RelativeTime time={invite.createdAt} /> },
          {
            head: t('actions'),
            isActions: true,
            cell: invite =>
              stateOf(invite) === 'open' && (
                <>
                  <CopyLinkButton url={inviteUrl(space.id, invite.id)} />
                  <ConfirmButton
                    label={t('revoke')}
                    title={t('invites.revoke.title')}
                    text={t('invites.revoke.text')}
                    confirmLabel={t('revoke')}
                    onConfirm={() => revokeInvite(space.id, invite.id)}
                  />
                </>
              ),
          },
        ]}
      />
      <ManyInvitesDialog opened={isInvitingMany} onClose={many.close} />
      <NewInviteDialog opened={isCreating} onClose={close} />
    </Section>
  )
}
