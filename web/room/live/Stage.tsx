import { type TrackReferenceOrPlaceholder, useRemoteParticipants } from '@livekit/components-react'
import { ActionIcon, Button, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import { useInvite } from './invite.ts'
import { tilesPerPage } from './layout.ts'
import { UnseenReactions } from './Reaction.tsx'
import { SelfView } from './SelfView.tsx'
import { StageTiles } from './StageTiles.tsx'
import classes from './stage.module.css'
import { idOf, isOwnCamera, useStageTracks } from './stageTracks.ts'
import { Tile } from './Tile.tsx'

/** The people, and what they show. */
export const Stage = () => {
  const { room, view, look, connection } = useLive()
  const [pinned, setPinned] = useState<string | null>(null)
  const [page, setPage] = useState(0)
  const { ref, ...box } = useElementSize()
  const { ordered, large } = useStageTracks(view, pinned)

  // Whoever is the only one to be seen stays in the grid.
  const own = ordered.find(track => isOwnCamera(track) && !large.includes(track))
  const isApart = own !== undefined && look.selfView !== 'grid' && ordered.length > 1
  const others = ordered.filter(track => !large.includes(track) && !(isApart && track === own))
  const isFocused = large.length > 0
  const perPage = isFocused ? 12 : tilesPerPage(box)
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
  const isAlone = useRemoteParticipants().length === 0 && ordered.length > 0 && connection.state === 'connected'

  if (room?.type === 'webinar' && ordered.length === 0) return <Waiting />

  return (
    <StageTiles {...{ large, shown, tile, box, isAlone }} boxRef={ref} isPaged={pages > 1}>
      {pages > 1 && <Pager page={page} pages={pages} onPage={setPage} />}
      {isApart && look.selfView === 'floating' && <SelfView track={own} onPin={() => setPinned(idOf(own))} />}
      {isAlone && <Alone />}
      <UnseenReactions seen={new Set([...large, ...shown, ...(isApart ? [own] : [])].map(idOfParticipant))} />
    </StageTiles>
  )
}

const idOfParticipant = ({ participant }: TrackReferenceOrPlaceholder) => participant.identity

/** A webinar before anybody is on the air. */
const Waiting = () => {
  const { t } = useTranslation()
  return (
    <div className={classes.empty} role="status">
      <Text size="xl" fw={600}>
        {t('live.waiting.title')}
      </Text>
      <Text>{t('live.waiting.text')}</Text>
    </div>
  )
}

const Alone = () => {
  const { t } = useTranslation()
  const invite = useInvite()
  return (
    <div className={classes.alone} role="status">
      <Text size="sm">{t('live.alone')}</Text>
      {invite && (
        <Button variant="white" size="xs" onClick={invite}>
          {t('live.invite')}
        </Button>
      )}
    </div>
  )
}

const Pager = ({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) => {
  const { t } = useTranslation()
  const turn = { variant: 'filled', color: 'dark' } as const
  return (
    <div className={classes.pager}>
      <ActionIcon {...turn} aria-label={t('live.previousPage')} disabled={page === 0} onClick={() => onPage(page - 1)}>
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <span>{t('live.page', { page: page + 1, pages })}</span>
      <ActionIcon
        {...turn}
        aria-label={t('live.nextPage')}
        disabled={page >= pages - 1}
        onClick={() => onPage(page + 1)}
      >
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
    </div>
  )
}
