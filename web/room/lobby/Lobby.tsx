import { Button, Progress, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RoomAccess } from '../access.ts'
import { type Reason, reasonOf } from '../closed/reasons.ts'
import { type DeviceChoices, rememberChoices, rememberedChoices } from '../devices.ts'
import { type JoinedCall, join } from '../entry.ts'
import { rememberName } from '../link.ts'
import { Page } from '../Page.tsx'
import { isPending, type PendingMedia, readinessKey, starting, useReadiness } from '../readiness.ts'
import { tabKey } from '../tab.ts'
import { InCallAlready, useInCallAlready } from './InCallAlready.tsx'
import classes from './lobby.module.css'
import { Preview } from './Preview.tsx'

interface LobbyProps {
  access: RoomAccess
  onJoined: (joinedCall: JoinedCall, choices: DeviceChoices) => void
  onRefused: (reason: Reason) => void
}

/** It is somewhere else in the world, and may be gone. */
const SpaceLogo = ({ src }: { src: string }) => {
  const [isGone, setGone] = useState(false)
  return isGone ? null : <img src={src} alt="" width={32} height={32} onError={() => setGone(true)} />
}

/** How far the media engine is, and that joining goes on by itself. */
const MediaPending = ({ readiness, isWanted }: { readiness: PendingMedia; isWanted: boolean }) => {
  const { t } = useTranslation()
  return (
    <div role="status">
      <Progress
        value={readiness.mediaPercent ?? 100}
        striped={readiness.mediaPercent === null}
        animated
        aria-label={t('lobby.media.starting')}
      />
      <Text size="sm" mt={8}>
        {t(`lobby.media.${readiness.media}`, { percent: readiness.mediaPercent })}{' '}
        {t(isWanted ? 'lobby.media.wanted' : 'lobby.media.hint')}
      </Text>
    </div>
  )
}

export const Lobby = ({ access, onJoined, onRefused }: LobbyProps) => {
  const { t } = useTranslation()
  const [name, setName] = useState(access.name ?? '')
  const [isNameMissing, setNameMissing] = useState(false)
  const [choices, setChoices] = useState(rememberedChoices)
  const [isWanted, setWanted] = useState(false)
  const queries = useQueryClient()
  const readiness = useReadiness().data
  const inCall = useInCallAlready(access)
  const isOnAir = access.type === 'lesson' || access.role === 'moderator'
  const isMediaPending = isPending(readiness)
  const isOff = readiness?.media === 'off' || readiness?.media === 'failed'

  useEffect(() => {
    // Found out meanwhile, so that nobody waits for it.
    void tabKey()
  }, [])

  useEffect(() => {
    if (inCall.error && reasonOf(inCall.error) === 'removed') onRefused('removed')
  }, [inCall.error, onRefused])

  useEffect(() => {
    if (isOff) onRefused('media_off')
  }, [isOff, onRefused])

  const { mutate: joinNow } = useMutation({
    mutationFn: () => join(access, name.trim()),
    onSuccess: joinedCall => onJoined(joinedCall, choices),
    onError: error => {
      const reason = reasonOf(error)
      if (reason === 'media_starting') queries.setQueryData(readinessKey, starting)
      else onRefused(reason)
    },
  })

  // Whoever has pressed the button while the engine was not ready joins once it is.
  useEffect(() => {
    if (isWanted && !isMediaPending) joinNow()
  }, [isWanted, isMediaPending, joinNow])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return setNameMissing(true)
    if (!access.isNameFixed) rememberName(name.trim())
    rememberChoices(choices)
    setWanted(true)
  }

  return (
    <Page>
      <div className={classes.lobby} data-viewer={!isOnAir}>
        {isOnAir && <Preview choices={choices} onChange={setChoices} />}
        <form className={classes.form} onSubmit={submit} noValidate>
          <Stack gap="md">
            <div>
              <div className={classes.space}>
                {access.logo && <SpaceLogo src={access.logo} />}
                <Text>{access.spaceName}</Text>
              </div>
              <Title order={1} size="h2" className={classes.room}>
                {access.roomName}
              </Title>
              <InCallAlready access={access} inCall={inCall.data} />
            </div>
            <TextInput
              label={t('lobby.name')}
              description={access.isNameFixed ? t(`lobby.nameFixed.${access.credentials.by}`) : undefined}
              placeholder={t('lobby.namePlaceholder')}
              autoComplete="name"
              maxLength={200}
              required
              withAsterisk={false}
              readOnly={access.isNameFixed || isWanted}
              value={name}
              error={isNameMissing && t('lobby.nameMissing')}
              onChange={event => {
                setName(event.currentTarget.value)
                setNameMissing(false)
              }}
              // Nothing else stands between the link and the room. A phone's keyboard would cover it, though.
              autoFocus={!access.isNameFixed && name === '' && matchMedia('(hover: hover)').matches}
            />
            <Button
              type="submit"
              size="lg"
              fullWidth
              loading={isWanted && !isMediaPending}
              disabled={isWanted && isMediaPending}
            >
              {t('lobby.join')}
            </Button>
            {isMediaPending && <MediaPending readiness={readiness} isWanted={isWanted} />}
          </Stack>
        </form>
      </div>
    </Page>
  )
}
