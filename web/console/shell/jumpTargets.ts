import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useMatch } from 'react-router'
import type { Space } from '../../../contract/spaces.ts'
import { api } from '../../ui/api.ts'
import { useMe } from '../data/session.ts'
import { useSpace, useSpaces } from '../data/spaces.ts'
import { managesSpace, ownsSpace } from '../may.ts'

export interface Target {
  label: string
  /** What it belongs to. */
  note?: string | undefined
  to: string
}

export interface TargetGroup {
  name: 'rooms' | 'people' | 'spaces' | 'pages'
  targets: Target[]
}

/** Of each kind; who wants more types more. */
const SHOWN = 5

const findRooms = async (space: Pick<Space, 'id' | 'name'> | null, q: string): Promise<Target[]> => {
  const query = { q, limit: SHOWN }
  const rooms = space
    ? (await api.listRooms({ spaceId: space.id, ...query })).items.map(room => ({ ...room, spaceName: space.name }))
    : (await api.searchRooms(query)).items
  return rooms.map(({ name, spaceName, spaceId, alias }) => ({
    label: name,
    note: spaceName,
    to: `/spaces/${spaceId}/rooms/${alias}`,
  }))
}

const findPeople = async (space: Pick<Space, 'id' | 'name'> | null, q: string): Promise<Target[]> => {
  const { items } = space
    ? await api.listMembers({ spaceId: space.id, q, limit: SHOWN })
    : await api.listUsers({ q, limit: SHOWN })
  const path = space ? `/spaces/${space.id}/people` : '/operator/users'
  return items.map(({ displayName }) => ({
    label: displayName,
    note: space?.name,
    to: `${path}?q=${encodeURIComponent(displayName)}`,
  }))
}

/** The pages that the navigation leads to, too. */
const usePagesToGoTo = (space: Space | null): Target[] => {
  const { t } = useTranslation()
  const { isOperator } = useMe()
  const inSpace = (path: string, label: string) => ({ label, note: space?.name, to: `/spaces/${space?.id}${path}` })
  return [
    ...(space ? [inSpace('', t('nav.rooms'))] : []),
    ...(space && managesSpace(space) ? [inSpace('/people', t('nav.people')), inSpace('/calls', t('nav.calls'))] : []),
    ...(space && ownsSpace(space) ? [inSpace('/webhook', t('nav.webhook')), inSpace('/audit', t('nav.audit'))] : []),
    ...(space ? [inSpace('/settings', t('nav.settings'))] : []),
    { label: t('nav.spaces'), to: '/spaces' },
    { label: t('nav.account'), to: '/account' },
    { label: t('nav.tokens'), to: '/tokens' },
    { label: t('nav.clients'), to: '/clients' },
    ...(isOperator
      ? (
          [
            ['users', 'users'],
            ['allSpaces', 'spaces'],
            ['audit', 'audit'],
            ['state', 'state'],
          ] as const
        ).map(([name, path]) => ({ label: t(`nav.${name}`), note: t('nav.operator'), to: `/operator/${path}` }))
      : []),
  ]
}

/** Where one may want to go with this: of the space one is in, or of all. */
export const useTargets = (q: string): TargetGroup[] => {
  const { isOperator } = useMe()
  const spaceId = useMatch('/spaces/:spaceId/*')?.params.spaceId ?? ''
  const { data: here = null } = useSpace(spaceId, spaceId !== '')
  const { data: all = [] } = useSpaces()
  const isWanted = (label: string) => label.toLowerCase().includes(q.toLowerCase())
  const isSearch = q !== ''
  const rooms = useQuery({
    queryKey: ['jump', 'rooms', spaceId, q],
    queryFn: () => findRooms(here, q),
    enabled: isSearch,
  })
  const seesPeople = here ? managesSpace(here) : isOperator
  const people = useQuery({
    queryKey: ['jump', 'people', spaceId, q],
    queryFn: () => findPeople(here, q),
    enabled: isSearch && seesPeople,
  })
  const pages = usePagesToGoTo(here).filter(({ label }) => isWanted(label))
  const spaces = all.filter(({ name }) => isWanted(name)).map(({ id, name }) => ({ label: name, to: `/spaces/${id}` }))
  const groups: TargetGroup[] = [
    { name: 'rooms', targets: (isSearch && rooms.data) || [] },
    { name: 'people', targets: (isSearch && people.data) || [] },
    { name: 'spaces', targets: spaces.slice(0, SHOWN) },
    { name: 'pages', targets: pages },
  ]
  return groups.filter(({ targets }) => targets.length > 0)
}
