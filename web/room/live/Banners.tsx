import { useAudioPlayback } from '@livekit/components-react'
import { Button, Loader, Text } from '@mantine/core'
import { IconVolume, IconVolumeOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import classes from './live.module.css'

/** Somebody wants to come in, until they are let in or the host looks at all of them. */
const WaitingBanner = () => {
  const { t } = useTranslation()
  const { waiting, panels } = useLive()
  const [first] = waiting.people
  const isShown = first && panels.shown !== 'host'
  const count = waiting.people.length
  return (
    <div role="status">
      {isShown && (
        <div className={classes.banner}>
          <Text size="sm">
            {count === 1 ? t('host.waiting.one', { name: first.name }) : t('host.waiting.many', { count })}
          </Text>
          {count === 1 && (
            <Button size="compact-sm" variant="white" onClick={() => void waiting.admit(first.participantId)}>
              {t('host.waiting.admit')}
            </Button>
          )}
          <Button size="compact-sm" variant="white" onClick={() => panels.open('host')}>
            {t('host.waiting.view')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** What the person must know at once: above the stage, and over nothing that can be pressed. */
export const Banners = () => {
  const { t } = useTranslation()
  const { connection, sound, note } = useLive()
  const { state, retry } = connection
  const { canPlayAudio, startAudio } = useAudioPlayback()
  const turnSoundOn = () => {
    sound.turnOn()
    void startAudio()
  }
  return (
    <div className={classes.banners}>
      <div role="status">
        {(state === 'reconnecting' || state === 'rejoining') && (
          <div className={classes.banner} data-state={state}>
            <Loader size="xs" color="white" />
            <Text size="sm">{t(`live.${state}`)}</Text>
            {state === 'rejoining' && (
              <Button size="compact-sm" variant="white" onClick={retry}>
                {t('tryAgain')}
              </Button>
            )}
          </div>
        )}
      </div>
      {sound.isOff && (
        <div className={classes.banner}>
          <IconVolumeOff size={18} aria-hidden />
          <Text size="sm">{t('live.soundOff')}</Text>
          <Button size="compact-sm" variant="white" onClick={turnSoundOn}>
            {t('live.turnSoundOn')}
          </Button>
        </div>
      )}
      {state === 'connected' && !sound.isOff && !canPlayAudio && (
        <Button variant="white" leftSection={<IconVolume size={18} aria-hidden />} onClick={() => startAudio()}>
          {t('live.startAudio')}
        </Button>
      )}
      <WaitingBanner />
      <div role="status">{note && <Text className={classes.banner}>{note}</Text>}</div>
    </div>
  )
}
