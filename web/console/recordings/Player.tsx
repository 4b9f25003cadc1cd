import { Alert, Button, Loader, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { linkTo, type Record } from '../data/records.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import classes from './recordings.module.css'

interface PlayerProps {
  spaceId: string
  /** null: none is watched. */
  record: Record | null
  name: string
  onClose: () => void
}

export const Player = ({ spaceId, record, name, onClose }: PlayerProps) => {
  const { t } = useTranslation()
  return (
    <Dialog opened={record !== null} onClose={onClose} title={t('recordings.play.title', { name })} size="xl">
      {record && <Watched spaceId={spaceId} record={record} name={name} />}
    </Dialog>
  )
}

const Watched = ({ spaceId, record, name }: { spaceId: string; record: Record; name: string }) => {
  const { t } = useTranslation()
  const [hasFailed, setFailed] = useState(false)
  /** Where it goes on after a link that has expired. */
  const position = useRef(0)
  const link = useQuery({
    queryKey: ['record link', record.id],
    queryFn: () => linkTo(spaceId, record),
    gcTime: 0,
    staleTime: Infinity,
  })
  const again = async () => {
    await link.refetch()
    setFailed(false)
  }
  return (
    <Loaded query={link} skeleton={<Loader />}>
      {({ url }) =>
        hasFailed ? (
          <Alert color="red" variant="light">
            <Stack gap="sm" align="flex-start">
              {t('recordings.play.failed')}
              <Button size="xs" variant="default" onClick={again} loading={link.isFetching}>
                {t('tryAgain')}
              </Button>
            </Stack>
          </Alert>
        ) : (
          <video
            className={classes.player}
            src={url}
            aria-label={name}
            controls
            autoPlay
            playsInline
            {...(record.pictureUrl && { poster: record.pictureUrl })}
            onLoadedMetadata={event => {
              event.currentTarget.currentTime = position.current
            }}
            onError={event => {
              position.current = event.currentTarget.currentTime
              setFailed(true)
            }}
          />
        )
      }
    </Loaded>
  )
}
