import { Anchor, Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDoor, IconPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useLiveRooms } from '../data/calls.ts'
import { useRooms } from '../data/rooms.ts'
import { managesSpace } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Onboarding } from '../spaces/Onboarding.tsx'
import { CopyLinkButton } from '../ui/CopyLinkButton.tsx'
import { Empty } from '../ui/Empty.tsx'
import { FilterSelect } from '../ui/FilterSelect.tsx'
import { NothingFound } from '../ui/NothingFound.tsx'
import { Page } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { SearchBox, useSearch } from '../ui/SearchBox.tsx'
import { StateMark } from '../ui/StateMark.tsx'
import { useSearchFilter } from '../ui/search.ts'
import { roomTypes } from './flags.ts'
import { NewRoomDialog } from './NewRoomDialog.tsx'
import { OpenRoomButton } from './OpenRoomButton.tsx'

export const RoomsPage = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const [filter, setFilter] = useFilter()
  const isFiltered = Object.keys(filter).length > 0
  const rooms = useRooms(space.id, filter)
  const [isCreating, { open, close }] = useDisclosure()
  const mayCreate = managesSpace(space)
  const { data: live } = useLiveRooms(space.id, mayCreate)
  const create = mayCreate && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {t('rooms.create')}
    </Button>
  )
  const hasRooms = isFiltered || (rooms.data?.length ?? 0) > 0
  return (
    <Page title={t('rooms.title')} description={space.description ?? t('rooms.text')} actions={hasRooms && create}>
      <Onboarding />
      {hasRooms && (
        <Group gap="sm">
          <SearchBox label={t('rooms.search')} />
          <FilterSelect
            label={t('rooms.type')}
            all={t('rooms.type.all')}
            values={roomTypes}
            textOf={type => t(`rooms.type.${type}`)}
            value={filter.type}
            onChange={type => setFilter('type', type)}
          />
          <FilterSelect
            label={t('state')}
            all={t('rooms.live.all')}
            values={['true']}
            textOf={() => t('rooms.live')}
            value={filter.live}
            onChange={live => setFilter('live', live)}
          />
        </Group>
      )}
      <PagedRecords
        label={t('rooms.title')}
        pages={rooms}
        idOf={room => room.id}
        empty={
          isFiltered ? (
            <NothingFound q={filter.q ?? ''} />
          ) : (
            <Empty
              icon={IconDoor}
              title={t(mayCreate ? 'rooms.empty.title' : 'rooms.empty.titleUser')}
              text={t(mayCreate ? 'rooms.empty.text' : 'rooms.empty.textUser')}
              action={create}
            />
          )
        }
        columns={[
          {
            head: t('name'),
            isName: true,
            cell: room => (
              <Group gap="xs">
                <Anchor component={Link} to={`/spaces/${space.id}/rooms/${room.alias}`} inherit>
                  {room.name}
                </Anchor>
                {live?.has(room.id) && (
                  <Text span size="sm">
                    <StateMark tone="good">{t('rooms.live')}</StateMark>
                  </Text>
                )}
              </Group>
            ),
          },
          { head: t('rooms.type'), cell: room => t(`rooms.type.${room.type}`) },
          {
            head: t('access'),
            cell: room => t(room.isPublic ? 'access.public' : 'access.private'),
          },
          { head: t('created'), cell: room => <RelativeTime time={room.createdAt} /> },
          {
            head: t('actions'),
            isActions: true,
            cell: room => (
              <>
                <CopyLinkButton url={`${location.origin}/room/${room.alias}`} name={room.name} />
                <OpenRoomButton room={room} />
              </>
            ),
          },
        ]}
      />
      <NewRoomDialog opened={isCreating} onClose={close} />
    </Page>
  )
}

const useFilter = () => {
  const q = useSearch()
  const [get, set] = useSearchFilter<'type' | 'live'>()
  const type = roomTypes.find(name => name === get('type'))
  const isLive = get('live') === 'true'
  return [{ ...(q && { q }), ...(type && { type }), ...(isLive && { live: 'true' as const }) }, set] as const
}
