import { useLocalParticipant, VideoTrack } from '@livekit/components-react'
import { Stack, Text } from '@mantine/core'
import { Track } from 'livekit-client'
import { useTranslation } from 'react-i18next'
import { Backgrounds } from '../background/Backgrounds.tsx'
import { canChangeBackground } from '../background/support.ts'
import { useLive } from '../context.ts'
import { Choice } from './Choice.tsx'
import classes from './devices.module.css'

export const Camera = () => (
  <Stack gap="xs">
    <Preview />
    <Choice kind="camera" />
    {canChangeBackground() && <Backgrounds />}
  </Stack>
)

/** As the others see the person. */
const Preview = () => {
  const { t } = useTranslation()
  const { media } = useLive()
  const { localParticipant, cameraTrack } = useLocalParticipant()
  return (
    <div className={classes.preview}>
      {media.isOn.camera && cameraTrack ? (
        <VideoTrack
          trackRef={{ participant: localParticipant, source: Track.Source.Camera, publication: cameraTrack }}
          className={classes.picture}
          aria-label={t('devices.preview')}
          role="img"
        />
      ) : (
        <Text size="sm">{t('lobby.noPicture')}</Text>
      )}
    </div>
  )
}
