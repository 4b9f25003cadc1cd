import { Anchor, Button, Group, Text } from '@mantine/core'
import { IconDownload, IconPlayerPlay, IconVideo } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RecordState } from '../../../contract/records.ts'
import { bytes } from '../../ui/bytes.ts'
import { duration } from '../../ui/duration.ts'
import { exactTime } from '../../ui/RelativeTime.tsx'
import { deleteRecord, linkTo, type Record, type RecordsOf, useRecords } from '../data/records.ts'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { tellProblem } from '../ui/notify.ts'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { StateMark, type Tone } from '../ui/StateMark.tsx'
import { Player } from './Player.tsx'
import classes from './recordings.module.css'

interface RecordingListProps {
  of: RecordsOf
  mayDelete: boolean
  empty: ReactNode
}

/** Recordings, newest first, to be watched, downloaded and deleted. */
export const RecordingList = ({ of, mayDelete, empty }: RecordingListProps) => {
  const { t, i18n } = useTranslation()
  const { spaceId } = of
  const records = useRecords(of)
  const [watched, watch] = useState<Record | null>(null)
  const nameOf = ({ startedAt, createdAt }: Record) => exactTime(startedAt ?? createdAt, i18n.language)
  return (
    <>
      <PagedRecords
        label={t('recordings.title')}
        pages={records}
        idOf={record => record.id}
        empty={empty}
        columns={[
          {
            head: t('recordings.recorded'),
            isName: true,
            cell: record => (
              <Group gap="sm" wrap="nowrap">
                <Picture url={record.pictureUrl} />
                {record.isDownloadable ? (
                  <Anchor component="button" type="button" inherit ta="start" onClick={() => watch(record)}>
                    {nameOf(record)}
                  </Anchor>
                ) : (
                  nameOf(record)
                )}
              </Group>
            ),
          },
          { head: t('calls.state'), cell: record => <State record={record} /> },
          {
            head: t('calls.duration'),
            cell: ({ durationSeconds }) => (durationSeconds === null ? '–' : duration(durationSeconds, i18n.language)),
          },
          { head: t('recordings.size'), cell: ({ size }) => (size === 0 ? '–' : bytes(size, i18n.language)) },
          {
            head: t('actions'),
            isActions: true,
            cell: record => (
              <>
                {record.isDownloadable && (
                  <>
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      leftSection={<IconPlayerPlay size={14} aria-hidden />}
                      aria-label={t('recordings.play.named', { name: nameOf(record) })}
                      onClick={() => watch(record)}
                    >
                      {t('recordings.play')}
                    </Button>
                    <Download spaceId={spaceId} record={record} name={nameOf(record)} />
                  </>
                )}
                {mayDelete && (
                  <ConfirmButton
                    label={t('delete')}
                    ariaLabel={t('recordings.delete.named', { name: nameOf(record) })}
                    title={t('recordings.delete.title')}
                    text={t(isGoingOn(record) ? 'recordings.delete.live' : 'recordings.delete.text', {
                      name: nameOf(record),
                    })}
                    confirmLabel={t('recordings.delete.confirm')}
                    onConfirm={() => deleteRecord(spaceId, record)}
                  />
                )}
              </>
            ),
          },
        ]}
      />
      <Player spaceId={spaceId} record={watched} name={watched ? nameOf(watched) : ''} onClose={() => watch(null)} />
    </>
  )
}

const isGoingOn = ({ state }: Record) => state === 'starting' || state === 'recording'

const tones: { [S in RecordState]: Tone } = {
  starting: 'busy',
  recording: 'busy',
  processing: 'busy',
  ready: 'good',
  aborted: 'bad',
  failed: 'bad',
}

const State = ({ record: { state, reason } }: { record: Record }) => {
  const { t } = useTranslation()
  return (
    <div>
      <StateMark tone={tones[state]}>{t(`recordings.state.${state}`)}</StateMark>
      {reason && (
        <Text size="xs" c="dimmed">
          {t(`record.reason.${reason}`)}
        </Text>
      )}
    </div>
  )
}

const Picture = ({ url }: { url: string | null }) => (
  <span className={classes.picture} aria-hidden>
    {url ? <img src={url} alt="" loading="lazy" /> : <IconVideo size={20} />}
  </span>
)

const Download = ({ spaceId, record, name }: { spaceId: string; record: Record; name: string }) => {
  const { t } = useTranslation()
  const { mutate, isPending } = useMutation({
    mutationFn: () => linkTo(spaceId, record),
    // The answer is a file: the page stays.
    onSuccess: ({ url }) => location.assign(url),
    onError: tellProblem,
  })
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      leftSection={<IconDownload size={14} aria-hidden />}
      aria-label={t('recordings.download.named', { name })}
      loading={isPending}
      onClick={() => mutate()}
    >
      {t('recordings.download')}
    </Button>
  )
}
