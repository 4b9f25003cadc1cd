import { Button, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { RoomAccess } from '../access.ts'
import { Closed } from '../closed/Closed.tsx'
import type { Refusal } from '../closed/reasons.ts'
import { Page } from '../Page.tsx'
import { SpaceLogo } from '../SpaceLogo.tsx'
import { Player } from './Player.tsx'
import { WatchSkeleton } from './WatchSkeleton.tsx'
import classes from './watch.module.css'
import { useWatching } from './watching.ts'

interface AudienceProps {
  access: RoomAccess
  onRefused: (refusal: Refusal) => void
}

/** Nothing to play yet, or no more. It goes on by itself. */
const Blank = ({ state }: { state: 'not_live' | 'ended' }) => {
  const { t } = useTranslation()
  return (
    <div className={classes.frame}>
      <div className={`${classes.screen} ${classes.blank}`} role="status">
        <Text size="xl" fw={600}>
          {t(`watch.${state}.title`)}
        </Text>
        <Text>{t(`watch.${state}.text`)}</Text>
      </div>
    </div>
  )
}

/** The stream, what it is of, and the way into the call. */
export const Audience = ({ access, onRefused }: AudienceProps) => {
  const { t } = useTranslation()
  const watching = useWatching(access)
  const { state, askAgain } = watching
  const isPrivate = state === 'refused' && watching.reason === 'private' && access.credentials.by === 'user'
  useEffect(() => {
    if (isPrivate) onRefused({ reason: 'no_access', signedInAs: access.name ?? '' })
  }, [isPrivate, onRefused, access.name])

  if (state === 'opening' || isPrivate) return <WatchSkeleton />
  if (state === 'refused') return <Closed reason={watching.reason} alias={access.alias} onRetry={askAgain} />
  return (
    <Page>
      <div className={classes.watch} data-state={state}>
        {state === 'live' ? (
          <Player
            playlist={watching.playlist}
            label={t('watch.video', { name: access.roomName })}
            onGone={askAgain}
            onUnsupported={() => onRefused({ reason: 'unsupported' })}
          />
        ) : (
          <Blank state={state} />
        )}
        <div className={classes.about}>
          {access.logo && <SpaceLogo src={access.logo} size={40} />}
          <div className={classes.names}>
            <Title order={1} size="h3">
              {access.roomName}
            </Title>
            <Text c="dimmed">{access.spaceName}</Text>
          </div>
          <Button component="a" href={`/room/${access.alias}`} variant="default">
            {t('watch.join')}
          </Button>
        </div>
      </div>
    </Page>
  )
}
