import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { SpaceRole } from '../../../contract/spaces.ts'
import { CopyAction } from '../../ui/CopyAction.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { removeMember, useMembers } from '../data/members.ts'
import { useMe } from '../data/session.ts'
import { mayRemoveMember, ownsSpace } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { FilterSelect } from '../ui/FilterSelect.tsx'
import { NothingFound } from '../ui/NothingFound.tsx'
import { Section } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { PersonName } from '../ui/PersonName.tsx'
import { SearchBox, useSearch } from '../ui/SearchBox.tsx'
import { useSearchFilter } from '../ui/search.ts'
import { AddMemberDialog, hasDirectMembers } from './AddMemberDialog.tsx'
import { MemberRole } from './MemberRole.tsx'

const spaceRoles: SpaceRole[] = ['role_space_owner', 'role_space_moderator', 'role_space_user']

export const Members = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const me = useMe()
  const q = useSearch()
  const [getFilter, setFilter] = useSearchFilter<'role'>()
  const role = spaceRoles.find(one => one === getFilter('role'))
  const [isAdding, { open, close }] = useDisclosure()
  const add = hasDirectMembers && ownsSpace(space) && (
    <Button variant="default" leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
      {t('members.add')}
    </Button>
  )
  return (
    <Section title={t('members.title')} actions={add}>
      <Group gap="sm">
        <SearchBox label={t('people.search')} />
        <FilterSelect
          label={t('role')}
          all={t('role.all')}
          values={spaceRoles}
          textOf={one => t(`role.${one}`)}
          value={role}
          onChange={one => setFilter('role', one)}
        />
      </Group>
      <PagedRecords
        label={t('members.title')}
        pages={useMembers(space.id, { q, ...(role && { role }) })}
        idOf={member => member.userId}
        empty={<NothingFound q={q} />}
        columns={[
          {
            head: t('person'),
            isName: true,
            cell: member => <PersonName person={member} />,
          },
          { head: t('role'), cell: member => t(`role.${member.role}`) },
          { head: t('members.joined'), cell: member => <RelativeTime time={member.joinedAt} /> },
          {
            head: t('actions'),
            isActions: true,
            cell: member => (
              <>
                <CopyAction
                  label={t('userId.of', { name: member.displayName })}
                  value={member.userId}
                  variant="subtle"
                />
                <MemberRole member={member} />
                {member.userId !== me.id && mayRemoveMember(space, me, member) && (
                  <ConfirmButton
                    label={t('remove')}
                    ariaLabel={t('members.remove.named', { name: member.displayName })}
                    title={t('members.remove.title', { name: member.displayName })}
                    text={t('members.remove.text')}
                    confirmLabel={t('remove')}
                    onConfirm={() => removeMember(space.id, member.userId)}
                  />
                )}
              </>
            ),
          },
        ]}
      />
      <AddMemberDialog opened={isAdding} onClose={close} />
    </Section>
  )
}
