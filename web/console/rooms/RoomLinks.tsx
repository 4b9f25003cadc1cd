import { Badge, Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCode, IconLink, IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFocusRescue } from '../../ui/focus.ts'
import { type GuestLink, nameOfLink, personOfLink, whyInactive } from '../../ui/guestLinks.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useLinks } from '../data/links.ts'
import { grantRole } from '../data/roles.ts'
import type { Room } from '../data/rooms.ts'
import { useMe } from '../data/session.ts'
import { managesRoom } from '../may.ts'
import { Empty } from '../ui/Empty.tsx'
import { tellProblem } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { EmbedDialog } from './EmbedDialog.tsx'
import { LinkActions } from './LinkActions.tsx'
import { NewLinkDialog } from './NewLinkDialog.tsx'

type State = 'open' | 'used' | 'expired' | 'revoked' | 'inactive'

/** A permanent link stays open however often it is used. */
const stateOf = ({ revokedAt, usedAt, isPermanent, expiresAt, isActive }: GuestLink): State => {
  if (revokedAt !== null) return 'revoked'
  if (usedAt !== null && !isPermanent) return 'used'
  if (Date.parse(expiresAt) <= Date.now()) return 'expired'
  return isActive ? 'open' : 'inactive'
}
const colors: Record<State, string> = { open: 'iris', used: 'teal', expired: 'gray', revoked: 'gray', inactive: 'gray' }

export const RoomLinks = ({ room }: { room: Room }) => {
  const me = useMe()
  return managesRoom(room, me) ? <LinkList room={room} /> : <NotYours room={room} />
}

/** Guest links are the room's own matter: a manager of the space can become a moderator of the room first. */
const NotYours = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const me = useMe()
  const { mutate, isPending } = useMutation({
    mutationFn: () => grantRole(room, me.id, 'role_room_moderator'),
    onSuccess: useFocusRescue(),
    onError: tellProblem,
  })
  return (
    <Section title={t('links.title')} description={t('links.notYours')}>
      <Group>
        <Button variant="default" onClick={() => mutate()} loading={isPending}>
          {t('links.takePart')}
        </Button>
      </Group>
    </Section>
  )
}

const LinkList = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const links = useLinks(room)
  const [isCreating, { open, close }] = useDisclosure()
  const [isEmbedding, embedding] = useDisclosure()
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {t('links.create')}
    </Button>
  )
  const embed = (
    <Button variant="default" leftSection={<IconCode size={16} />} onClick={embedding.open}>
      {t('embed.title')}
    </Button>
  )
  const hasLinks = (links.data?.length ?? 0) > 0
  return (
    <Section
      title={t('links.title')}
      description={t('links.text')}
      actions={
        hasLinks && (
          <>
            {embed}
            {create}
          </>
        )
      }
    >
      <PagedRecords
        label={t('links.title')}
        pages={links}
        idOf={link => link.id}
        empty={
          <Empty
            icon={IconLink}
            title={t('links.empty.title')}
            text={t('links.empty.text')}
            action={
              <Group gap="xs" justify="center">
                {create}
                {embed}
              </Group>
            }
          />
        }
        columns={[
          {
            head: t('links.for'),
            isName: true,
            cell: link => (
              <div>
                {nameOfLink(link, t)}
                {link.label !== null && <Aside>{personOfLink(link, t)}</Aside>}
                {link.externalUserId !== null && <Aside>{link.externalUserId}</Aside>}
              </div>
            ),
          },
          {
            head: t('role'),
            cell: link => (
              <div>
                {t(`guestRole.${link.role}`)}
                <Aside>{t(link.isPermanent ? 'links.many' : 'links.once')}</Aside>
              </div>
            ),
          },
          { head: t('state'), cell: link => <LinkState link={link} /> },
          { head: t('links.createdBy'), cell: link => link.createdByName ?? t('links.createdBy.gone') },
          { head: t('links.expires'), cell: link => <RelativeTime time={link.expiresAt} /> },
          {
            head: t('actions'),
            isActions: true,
            cell: link => <LinkActions room={room} link={link} name={nameOfLink(link, t)} />,
          },
        ]}
      />
      <NewLinkDialog room={room} opened={isCreating} onClose={close} />
      <EmbedDialog room={room} opened={isEmbedding} onClose={embedding.close} />
    </Section>
  )
}

const Aside = ({ children }: { children: ReactNode }) => (
  <Text size="xs" c="dimmed" fw={400}>
    {children}
  </Text>
)

const LinkState = ({ link }: { link: GuestLink }) => {
  const { t } = useTranslation()
  const { isActive, isUsable, isCopyable, isPermanent, revokedAt, usedAt } = link
  /** Why a link that was not revoked does not count, if so. */
  const whyNot = () => {
    if (isActive || revokedAt !== null) return null
    if (usedAt !== null && !isPermanent) return t('links.accessEnded')
    return whyInactive(link, t)
  }
  return (
    <div>
      <Badge variant="light" color={colors[stateOf(link)]} tt="none">
        {t(`links.${stateOf(link)}`)}
      </Badge>
      {usedAt !== null && (
        <Aside>
          {isPermanent && t('links.firstUsed')} <RelativeTime time={usedAt} />
        </Aside>
      )}
      {whyNot() && <Aside>{whyNot()}</Aside>}
      {isUsable && !isCopyable && <Aside>{t('links.notKept')}</Aside>}
    </div>
  )
}
