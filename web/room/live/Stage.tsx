import {
  type TrackReferenceOrPlaceholder,
  useRemoteParticipants,
  useSpeakingParticipants,
  useTracks,
} from '@livekit/components-react'
import { ActionIcon, Button, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { RoomEvent, Track } from 'livekit-client'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import { useInvite } from './invite.ts'
import { fitTiles, tilesPerPage } from './layout.ts'
import classes from './stage.module.css'
import { Tile } from './Tile.tsx'
import type { View } from './view.ts'

const idOf = ({ participant, source }: TrackReferenceOrPlaceholder) => `${participant.identity}/${source}`
const isScreen = ({ source }: TrackReferenceOrPlaceholder) => source === Track.Source.ScreenShare

/** A webinar shows who may go on the air; those who only watch are in the list of people. */
const isOnAir = ({ participant }: TrackReferenceOrPlaceholder) => participant.permissions?.canPublish === true

/** Who spoke last, if not the person themselves: the large picture stays while there is a pause. */
const useLastSpeaker = () => {
  const [speaker] = useSpeakingParticipants().filter(({ isLocal }) => !isLocal)
  const last = useRef<string | null>(null)
  if (speaker) last.current = speaker.identity
  return last.current
}

const useStage = (view: View, pinned: string | null) => {
  const { room } = useLive()
  const all = useTracks(
    [
      { source: Track.Source.Camera, withPlaceholder: true },
      { source: Track.Source.ScreenShare, withPlaceholder: false },
    ],
    {
      onlySubscribed: false,
      updateOnlyOn: [RoomEvent.ParticipantPermissionsChanged, RoomEvent.ActiveSpeakersChanged],
    },
  )
  const speaker = useLastSpeaker()
  const tracks = room?.type === 'webinar' ? all.filter(isOnAir) : all
  const screens = tracks.filter(isScreen)
  const people = tracks.filter(track => !isScreen(track))
  const ordered = [...screens, ...people.filter(({ participant }) => !participant.isLocal)].concat(
    people.filter(({ participant }) => participant.isLocal),
  )
  const large =
    ordered.find(track => idOf(track) === pinned) ??
    screens.at(-1) ??
    (view === 'speaker' && ordered.length > 1
      ? (people.find(({ participant }) => participant.identity === speaker) ?? ordered[0])
      : undefined)
  return { ordered, large }
}

/** The people, and what they show. */
export const Stage = () => {
  const { t } = useTranslation()
  const { room, view } = useLive()
  const invite = useInvite()
  const [pinned, setPinned] = useState<string | null>(null)
  const [page, setPage] = useState(0)
  const { ref, ...box } = useElementSize()
  const { ordered, large } = useStage(view, pinned)

  const others = large ? ordered.filter(track => track !== large) : ordered
  const perPage = large ? 12 : tilesPerPage(box)
  const pages = Math.max(1, Math.ceil(others.length / perPage))
  const shown = others.slice(page * perPage, (page + 1) * perPage)
  useEffect(() => {
    if (page >= pages) setPage(pages - 1)
  }, [page, pages])

  const tile = (track: TrackReferenceOrPlaceholder, size?: { width: number; height: number }) => {
    const id = idOf(track)
    return (
      <Tile
        key={id}
        track={track}
        isPinned={id === pinned}
        onPin={() => setPinned(id === pinned ? null : id)}
        {...(size && { size })}
      />
    )
  }
  const size = fitTiles(shown.length, box)
  const isAlone = useRemoteParticipants().length === 0 && ordered.length > 0

  if (room?.type === 'webinar' && ordered.length === 0)
    return (
      <div className={classes.empty} role="status">
        <Text size="xl" fw={600}>
          {t('live.waiting.title')}
        </Text>
        <Text>{t('live.waiting.text')}</Text>
      </div>
    )

  return (
    <div className={classes.stage} data-focused={large !== undefined} data-paged={pages > 1}>
      {large && <div className={classes.large}>{tile(large)}</div>}
      <div className={classes.rest} ref={large ? undefined : ref} hidden={large !== undefined && others.length === 0}>
        {large ? (
          shown.map(track => (
            <div key={idOf(track)} className={classes.small}>
              {tile(track)}
            </div>
          ))
        ) : (
          <div className={classes.grid} style={{ maxWidth: size.columns * (size.width + 8) }}>
            {shown.map(track => tile(track, { width: size.width, height: size.height }))}
          </div>
        )}
      </div>
      {pages > 1 && (
        <div className={classes.pager}>
          <ActionIcon
            variant="filled"
            color="dark"
            aria-label={t('live.previousPage')}
            disabled={page === 0}
            onClick={() => setPage(page - 1)}
          >
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
          <span>{t('live.page', { page: page + 1, pages })}</span>
          <ActionIcon
            variant="filled"
            color="dark"
            aria-label={t('live.nextPage')}
            disabled={page >= pages - 1}
            onClick={() => setPage(page + 1)}
          >
            <IconChevronRight size={18} aria-hidden />
          </ActionIcon>
        </div>
      )}
      {isAlone && (
        <div className={classes.alone} role="status">
          <Text>{t('live.alone')}</Text>
          {invite && (
            <Button variant="white" size="xs" onClick={invite}>
              {t('live.invite')}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
