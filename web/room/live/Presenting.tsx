import { useTracks } from '@livekit/components-react'
import { Button } from '@mantine/core'
import { IconScreenShare } from '@tabler/icons-react'
import { Track } from 'livekit-client'
import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import classes from './live.module.css'

/** Who shows their screen; whoever does it themselves can stop it here. */
export const Presenting = () => {
  const { t } = useTranslation()
  const { media } = useLive()
  const screens = useTracks([Track.Source.ScreenShare], { onlySubscribed: false })
  const [first, second, ...more] = screens.map(({ participant }) => participant.name ?? '')
  if (first === undefined) return null
  const words = () => {
    if (media.isOn.screen) return t('live.presenting.you')
    if (second === undefined) return t('live.presenting.one', { name: first })
    if (more.length === 0) return t('live.presenting.two', { first, second })
    return t('live.presenting.many', { count: screens.length })
  }
  return (
    <div className={classes.presenting}>
      <IconScreenShare size={16} aria-hidden />
      <span className={classes.presenter} role="status">
        {words()}
      </span>
      {media.isOn.screen && (
        <Button size="compact-xs" color="red.8" onClick={() => media.toggle('screen')}>
          {t('live.presenting.stop')}
        </Button>
      )}
    </div>
  )
}
