import { Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconBroadcast, IconHandStop } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { type LiveCall, type LiveParticipant, useEveryone } from '../data/calls.ts'
import type { Room } from '../data/rooms.ts'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { Records, type RecordsProps } from '../ui/Records.tsx'
import { ParticipantMenu } from './ParticipantMenu.tsx'

interface LiveParticipantsProps {
  room: Room
  call: LiveCall
  mayModerate: boolean
}

export const LiveParticipants = ({ room, call, mayModerate }: LiveParticipantsProps) => {
  const { t } = useTranslation()
  const table = useTable(room, mayModerate)
  const isLarge = call.participantCount > call.participants.length
  if (isLarge && mayModerate) return <Everyone room={room} call={call} />
  return (
    <>
      {isLarge && (
        <Text size="sm" c="dimmed">
          {t('people.some')}
        </Text>
      )}
      <Records {...table} records={handsFirst(call)} />
    </>
  )
}

/** Of a large call, page by page: before all others those who are listed with it, unless one is searched for. */
const Everyone = ({ room, call }: Omit<LiveParticipantsProps, 'mayModerate'>) => {
  const { t } = useTranslation()
  const table = useTable(room, true)
  const [search, setSearch] = useState('')
  const [q] = useDebouncedValue(search.trim(), 300)
  const pages = useEveryone(room, q)
  const first = q === '' ? handsFirst(call) : []
  const known = new Set(first.map(({ participantId }) => participantId))
  const others = pages.data?.filter(({ participantId }) => !known.has(participantId))
  return (
    <Stack gap="sm">
      <TextInput
        type="search"
        aria-label={t('people.search')}
        placeholder={t('people.search')}
        maxLength={100}
        value={search}
        onChange={event => setSearch(event.currentTarget.value)}
      />
      <PagedRecords
        {...table}
        pages={{ ...pages, ...(others && { data: [...first, ...others] }) } as typeof pages}
        empty={
          <Text size="sm" c="dimmed">
            {t('people.notFound')}
          </Text>
        }
      />
    </Stack>
  )
}

/** Raised hands in the order they went up; the others as they came. */
const handsFirst = ({ participants }: LiveCall) => participants.toSorted((one, other) => placeOf(one) - placeOf(other))
const placeOf = ({ handRaisedAt }: LiveParticipant) =>
  handRaisedAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(handRaisedAt)

const useTable = (room: Room, mayModerate: boolean): Omit<RecordsProps<LiveParticipant>, 'records'> => {
  const { t } = useTranslation()
  return {
    label: t('call.live'),
    idOf: participant => participant.participantId,
    columns: [
      { head: t('person'), isName: true, cell: participant => participant.name },
      { head: t('call.role'), cell: participant => <Text size="sm">{t(`call.role.${participant.role}`)}</Text> },
      { head: t('call.joined'), cell: participant => <RelativeTime time={participant.joinedAt} /> },
      { head: t('call.signs'), cell: participant => <Signs participant={participant} /> },
      ...(mayModerate
        ? [
            {
              head: t('actions'),
              isActions: true,
              cell: (participant: LiveParticipant) => <ParticipantMenu room={room} participant={participant} />,
            },
          ]
        : []),
    ],
  }
}

/** The raised hand and the floor. */
const Signs = ({ participant: { handRaisedAt, hasFloor } }: { participant: LiveParticipant }) => {
  const { t } = useTranslation()
  if (handRaisedAt === null && !hasFloor) return '–'
  return (
    <Group gap="sm">
      {handRaisedAt !== null && (
        <Group gap={4} wrap="nowrap">
          <IconHandStop size={16} aria-hidden />
          <Text size="sm">
            {t('call.hand')}, <RelativeTime time={handRaisedAt} />
          </Text>
        </Group>
      )}
      {hasFloor && (
        <Group gap={4} wrap="nowrap">
          <IconBroadcast size={16} aria-hidden />
          <Text size="sm">{t('call.onAir')}</Text>
        </Group>
      )}
    </Group>
  )
}
