import { Button, Progress, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Entry } from '../access.ts'
import { type Reason, reasonOf } from '../closed/reasons.ts'
import { type DeviceChoices, rememberChoices, rememberedChoices } from '../devices.ts'
import { join, type Session } from '../entry.ts'
import { rememberName } from '../link.ts'
import { Page } from '../Page.tsx'
import { type Preparation, readinessKey, starting, useReadiness } from '../readiness.ts'
import { tabKey } from '../tab.ts'
import { Company, useCompany } from './Company.tsx'
import classes from './lobby.module.css'
import { Preview } from './Preview.tsx'

interface LobbyProps {
  entry: Entry
  onJoined: (session: Session, choices: DeviceChoices) => void
  onRefused: (reason: Reason) => void
}

/** It is somewhere else in the world, and may be gone. */
const SpaceLogo = ({ src }: { src: string }) => {
  const [isGone, setGone] = useState(false)
  return isGone ? null : <img src={src} alt="" width={32} height={32} onError={() => setGone(true)} />
}

/** The media engine is not there yet: how far it is, and that joining goes on by itself. */
const Preparing = ({ readiness, isWanted }: { readiness: Preparation; isWanted: boolean }) => {
  const { t } = useTranslation()
  return (
    <div role="status">
      <Progress
        value={readiness.percent ?? 100}
        striped={readiness.percent === null}
        animated
        aria-label={t('lobby.preparing.starting')}
      />
      <Text size="sm" mt={8}>
        {t(`lobby.preparing.${readiness.step}`, { percent: readiness.percent })}{' '}
        {t(isWanted ? 'lobby.preparingWanted' : 'lobby.preparingHint')}
      </Text>
    </div>
  )
}

export const Lobby = ({ entry, onJoined, onRefused }: LobbyProps) => {
  const { t } = useTranslation()
  const [name, setName] = useState(entry.name ?? '')
  const [isNameMissing, setNameMissing] = useState(false)
  const [choices, setChoices] = useState(rememberedChoices)
  const [isWanted, setWanted] = useState(false)
  const queries = useQueryClient()
  const readiness = useReadiness().data
  const company = useCompany(entry)
  const isOnAir = entry.type === 'lesson' || entry.role === 'moderator'
  const isPreparing = readiness?.media === 'preparing'
  const isOff = readiness?.media === 'off' || readiness?.media === 'failed'

  useEffect(() => {
    // Found out meanwhile, so that nobody waits for it.
    void tabKey()
  }, [])

  useEffect(() => {
    if (company.error && reasonOf(company.error) === 'removed') onRefused('removed')
  }, [company.error, onRefused])

  useEffect(() => {
    if (isOff) onRefused('media_off')
  }, [isOff, onRefused])

  const { mutate: joinNow } = useMutation({
    mutationFn: () => join(entry, name.trim()),
    onSuccess: session => onJoined(session, choices),
    onError: error => {
      const reason = reasonOf(error)
      if (reason === 'media_starting') queries.setQueryData(readinessKey, starting)
      else onRefused(reason)
    },
  })

  // Whoever has pressed the button while the engine was being prepared is let in when it is.
  useEffect(() => {
    if (isWanted && !isPreparing) joinNow()
  }, [isWanted, isPreparing, joinNow])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return setNameMissing(true)
    if (!entry.isNameFixed) rememberName(name.trim())
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
                {entry.logo && <SpaceLogo src={entry.logo} />}
                <Text>{entry.spaceName}</Text>
              </div>
              <Title order={1} size="h2" className={classes.room}>
                {entry.roomName}
              </Title>
              <Company entry={entry} names={company.data} />
            </div>
            <TextInput
              label={t('lobby.name')}
              description={entry.isNameFixed ? t(`lobby.nameFixed.${entry.access.by}`) : undefined}
              placeholder={t('lobby.namePlaceholder')}
              autoComplete="name"
              maxLength={200}
              required
              withAsterisk={false}
              readOnly={entry.isNameFixed || isWanted}
              value={name}
              error={isNameMissing && t('lobby.nameMissing')}
              onChange={event => {
                setName(event.currentTarget.value)
                setNameMissing(false)
              }}
              // Nothing else stands between the link and the room. A phone's keyboard would cover it, though.
              autoFocus={!entry.isNameFixed && name === '' && matchMedia('(hover: hover)').matches}
            />
            <Button
              type="submit"
              size="lg"
              fullWidth
              loading={isWanted && !isPreparing}
              disabled={isWanted && isPreparing}
            >
              {t('lobby.join')}
            </Button>
            {isPreparing && <Preparing readiness={readiness} isWanted={isWanted} />}
          </Stack>
        </form>
      </div>
    </Page>
  )
}
