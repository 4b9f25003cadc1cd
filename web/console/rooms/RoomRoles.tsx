import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconUserCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { RoomRole } from '../../../contract/roles.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { revokeRole, useRoles } from '../data/roles.ts'
import type { Room } from '../data/rooms.ts'
import { useMe } from '../data/session.ts'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { Empty } from '../ui/Empty.tsx'
import { FilterSelect } from '../ui/FilterSelect.tsx'
import { NothingFound } from '../ui/NothingFound.tsx'
import { Section } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { PersonName } from '../ui/PersonName.tsx'
import { useSearchFilter } from '../ui/search.ts'
import { GrantRoleDialog } from './GrantRoleDialog.tsx'
import { RoleLoss } from './RoleLoss.tsx'

const roomRoles: RoomRole[] = ['role_room_user', 'role_room_moderator']

export const RoomRoles = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const me = useMe()
  const [getFilter, setFilter] = useSearchFilter<'role'>()
  const wanted = roomRoles.find(role => role === getFilter('role'))
  const roles = useRoles(room, wanted)
  const [isGranting, { open, close }] = useDisclosure()
  const grant = (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={open}>
      {t('roles.grant')}
    </Button>
  )
  const count = roles.data?.length ?? 0
  const hasRoles = wanted !== undefined || count > 0
  return (
    <Section
      title={t('roles.title')}
      description={t(room.creatorId === me.id ? 'roles.textCreator' : 'roles.text')}
      actions={hasRoles && grant}
    >
      {(wanted !== undefined || count > 1) && (
        <Group>
          <FilterSelect
            label={t('role')}
            all={t('role.all')}
            values={roomRoles}
            textOf={role => t(`roomRole.${role}`)}
            value={wanted}
            onChange={role => setFilter('role', role)}
          />
        </Group>
      )}
      <PagedRecords
        label={t('roles.title')}
        pages={roles}
        idOf={role => role.userId}
        empty={
          wanted ? (
            <NothingFound q="" />
          ) : (
            <Empty icon={IconUserCheck} title={t('roles.empty.title')} text={t('roles.empty.text')} action={grant} />
          )
        }
        columns={[
          {
            head: t('person'),
            isName: true,
            cell: role => <PersonName person={role} />,
          },
          { head: t('role'), cell: role => t(`roomRole.${role.role}`) },
          { head: t('roles.since'), cell: role => <RelativeTime time={role.createdAt} /> },
          {
            head: t('actions'),
            isActions: true,
            cell: role =>
              // Nobody lowers the room's creator.
              role.userId !== room.creatorId && (
                <ConfirmButton
                  label={t('revoke')}
                  ariaLabel={t('roles.revoke.named', { name: role.displayName })}
                  title={t('roles.revoke.title', { name: role.displayName })}
                  text={<RoleLoss room={room} userId={role.userId} />}
                  confirmLabel={t('revoke')}
                  onConfirm={() => revokeRole(room, role.userId)}
                />
              ),
          },
        ]}
      />
      <GrantRoleDialog room={room} opened={isGranting} onClose={close} />
    </Section>
  )
}
