import { Button, Progress, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { codeOf } from '../../ui/api.ts'
import type { RoomAccess } from '../access.ts'
import { type Refusal, reasonOf } from '../closed/reasons.ts'
import { type DeviceChoices, rememberChoices, rememberedChoices } from '../devices.ts'
import { type AskedToJoin, isJoined, type JoinedCall, join, type Presence } from '../entry.ts'
import { rememberName } from '../link.ts'
import { Page } from '../Page.tsx'
import { isQuiet, withoutMicrophone } from '../quiet.ts'
import { isPending, type PendingMedia, readinessKey, starting, useReadiness } from '../readiness.ts'
import { SpaceLogo } from '../SpaceLogo.tsx'
import { tabKey } from '../tab.ts'
import { forgetAsked, hasAsked } from '../waiting/asked.ts'
import { InCallAlready, useInCallAlready } from './InCallAlready.tsx'
import classes from './lobby.module.css'
import { NameField } from './NameField.tsx'
import { Notices } from './Notices.tsx'
import { PresenceChoice } from './PresenceChoice.tsx'
import { Preview } from './Preview.tsx'

interface LobbyProps {
  access: RoomAccess
  /** The person comes from a call that was ended for all. */
  wasEnded: boolean
  /** The person has said already that they want to join, and how. */
  wanted: Presence | null
  onJoined: (joinedCall: JoinedCall, choices: DeviceChoices) => void
  onAsked: (asked: AskedToJoin, choices: DeviceChoices) => void
  onRefused: (refusal: Refusal) => void
}

/** A call that a moderator has ended is asked for this often: it can be joined in a minute, or when one returns. */
const RETRY_MS = 3000
/** As long as the service keeps people out of it. */
const ENDED_MS = 60_000

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

export const Lobby = ({ access: found, wasEnded, wanted: wantedBefore, onJoined, onAsked, onRefused }: LobbyProps) => {
  const { t } = useTranslation()
  const [access, setAccess] = useState(found)
  const [name, setName] = useState(access.name ?? '')
  const nameField = useRef<HTMLInputElement>(null)
  const [isNameMissing, setNameMissing] = useState(false)
  const [choices, setChoices] = useState(rememberedChoices)
  const [wanted, setWanted] = useState(
    () => wantedBefore ?? (hasAsked(access.alias) && access.credentials.by !== 'link' ? 'ask' : null),
  )
  const isWanted = wanted !== null
  const [isElsewhere, setElsewhere] = useState(false)
  const [isKeptOut, setKeptOut] = useState(wasEnded && access.role !== 'moderator')
  const queries = useQueryClient()
  const readiness = useReadiness().data
  const inCall = useInCallAlready(access)
  const isOnAir = access.type === 'lesson' || access.role === 'moderator'
  const isStreamed = inCall.data ? inCall.data.isStreamed : access.isStreamed
  const isMediaPending = isPending(readiness)
  const isOff = readiness?.media === 'off' || readiness?.media === 'failed'

  useEffect(() => {
    // Found out meanwhile, so that nobody waits for it.
    void tabKey()
  }, [])

  useEffect(() => {
    const reason = inCall.error && reasonOf(inCall.error)
    if (reason === 'removed' || reason === 'room_locked') onRefused({ reason })
  }, [inCall.error, onRefused])

  useEffect(() => {
    if (isOff) onRefused({ reason: 'media_off' })
  }, [isOff, onRefused])

  /** Not without saying so. */
  const keepName = (name: string) => {
    setAccess({ ...access, name, nameSetBy: 'room' })
    setName(name)
    setWanted(null)
    nameField.current?.focus()
  }

  const { mutate: joinNow, error } = useMutation({
    mutationFn: (presence: Presence) => join(access, name.trim(), presence),
    onSuccess: answer => {
      if ('keptName' in answer) return keepName(answer.keptName)
      if (!isJoined(answer)) return onAsked(answer, choices)
      onJoined(answer, isQuiet(access.roomId) ? withoutMicrophone(choices) : choices)
    },
    onError: error => {
      forgetAsked(access.alias)
      const reason = reasonOf(error)
      if (codeOf(error) === 'already_in_call') {
        setElsewhere(true)
        setWanted(null)
      } else if (codeOf(error) === 'call_ended') setKeptOut(true)
      else if (reason === 'media_starting') queries.setQueryData(readinessKey, starting)
      else if (reason === 'private' && access.credentials.by === 'user')
        onRefused({ reason: 'no_access', signedInAs: name })
      else onRefused({ reason })
    },
  })

  // Whoever has pressed the button while the engine was not ready joins once it is.
  useEffect(() => {
    if (wanted && !isMediaPending) joinNow(wanted)
  }, [wanted, isMediaPending, joinNow])

  useEffect(() => {
    if (codeOf(error) !== 'call_ended' || !wanted) return
    const timer = setTimeout(joinNow, RETRY_MS, wanted)
    return () => clearTimeout(timer)
  }, [error, wanted, joinNow])

  useEffect(() => {
    if (!isKeptOut || isWanted) return
    const timer = setTimeout(() => setKeptOut(false), ENDED_MS)
    return () => clearTimeout(timer)
  }, [isKeptOut, isWanted])

  const want = (presence: Presence) => {
    if (name.trim() === '') {
      setNameMissing(true)
      return nameField.current?.focus()
    }
    if (access.nameSetBy === null) rememberName(name.trim())
    rememberChoices(choices)
    setWanted(presence)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    want(isElsewhere ? 'switch' : 'ask')
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
              {/* It would name the person themselves. */}
              {!isElsewhere && <InCallAlready access={access} inCall={inCall.data} />}
              <Notices recording={inCall.data ? inCall.data.recording : access.recording} isStreamed={isStreamed} />
            </div>
            <NameField
              ref={nameField}
              access={access}
              name={name}
              isMissing={isNameMissing}
              isReadOnly={isWanted}
              onChange={text => {
                setName(text)
                setNameMissing(false)
              }}
            />
            {isElsewhere ? (
              <PresenceChoice
                access={access}
                chosen={wanted}
                isDisabled={isWanted && (isMediaPending || isKeptOut)}
                onChoose={want}
              />
            ) : (
              <Button
                type="submit"
                size="lg"
                fullWidth
                loading={isWanted && !isMediaPending && !isKeptOut}
                disabled={isWanted && (isMediaPending || isKeptOut)}
              >
                {t('lobby.join')}
              </Button>
            )}
            {isStreamed && (
              <Button component="a" href={`/room/${access.alias}/live`} variant="subtle" fullWidth>
                {t('lobby.watch')}
              </Button>
            )}
            {isKeptOut && !inCall.data?.count && (
              <Text size="sm" role="status">
                {t(isWanted ? 'lobby.callEnded.wanted' : 'lobby.callEnded')}
              </Text>
            )}
            {isMediaPending && <MediaPending readiness={readiness} isWanted={isWanted} />}
          </Stack>
        </form>
      </div>
    </Page>
  )
}
