import { Anchor, Group, Stack } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { duration, secondsBetween } from '../../ui/duration.ts'
import { exactTime, RelativeTime } from '../../ui/RelativeTime.tsx'
import { type Call, useCalls } from '../data/calls.ts'
import { DayFields, useDays } from '../ui/DayFields.tsx'
import { Empty } from '../ui/Empty.tsx'
import { NothingFound } from '../ui/NothingFound.tsx'
import { Section } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { Records, type RecordsProps } from '../ui/Records.tsx'
import { SearchBox, useSearch } from '../ui/SearchBox.tsx'
import { StateMark } from '../ui/StateMark.tsx'

/** A call that goes on is not past: it stands above. */
export const CallList = ({ spaceId, roomId }: { spaceId: string; roomId?: string }) => {
  const { t, i18n } = useTranslation()
  const q = useSearch()
  const days = useDays()
  const live = useCalls({ spaceId, roomId }, { state: 'live', q, ...days }).data ?? []
  const calls = useCalls({ spaceId, roomId }, { state: 'ended', q, ...days })
  const isFiltered = q !== '' || Object.keys(days).length > 0
  // In one room all calls have the same name: there the time tells them apart.
  const nameOf = ({ roomName, startedAt }: Call) =>
    roomId === undefined ? roomName : exactTime(startedAt, i18n.language)
  const columns: RecordsProps<Call>['columns'] = [
    {
      head: t(roomId === undefined ? 'calls.room' : 'calls.call'),
      isName: true,
      cell: call => (
        <Anchor component={Link} to={call.id} inherit>
          {nameOf(call)}
        </Anchor>
      ),
    },
    { head: t('calls.started'), cell: call => <RelativeTime time={call.startedAt} /> },
    {
      head: t('calls.duration'),
      cell: ({ startedAt, endedAt }) =>
        endedAt === null ? '–' : duration(secondsBetween(startedAt, endedAt), i18n.language),
    },
    { head: t('calls.state'), cell: call => <CallState call={call} /> },
  ]
  const list = { idOf: (call: Call) => call.id, columns }
  return (
    <Stack gap="xl">
      {(isFiltered || live.length > 0 || calls.data?.length !== 0) && (
        <Group gap="sm" align="flex-end">
          {roomId === undefined && <SearchBox label={t('calls.search')} />}
          <DayFields />
        </Group>
      )}
      {live.length > 0 && (
        <Section title={t('calls.live')}>
          <Records label={t('calls.live')} records={live} {...list} />
        </Section>
      )}
      <PagedRecords
        label={t('calls.title')}
        pages={calls}
        empty={
          live.length > 0 ? null : isFiltered ? (
            <NothingFound q={q} />
          ) : (
            <Empty icon={IconHistory} title={t('calls.empty.title')} text={t('calls.empty.text')} />
          )
        }
        {...list}
      />
    </Stack>
  )
}

export const CallState = ({ call: { endedAt } }: { call: Pick<Call, 'endedAt'> }) => {
  const { t } = useTranslation()
  return endedAt === null ? (
    <StateMark tone="good">{t('calls.state.open')}</StateMark>
  ) : (
    <StateMark tone="quiet">{t('calls.state.ended')}</StateMark>
  )
}
