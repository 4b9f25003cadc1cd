import { useConnectionQualityIndicator } from '@livekit/components-react'
import { IconWifi1, IconWifiOff } from '@tabler/icons-react'
import { ConnectionQuality, type Participant } from 'livekit-client'
import { useTranslation } from 'react-i18next'
import classes from './quality.module.css'

const words = {
  [ConnectionQuality.Poor]: ['poor', IconWifi1],
  [ConnectionQuality.Lost]: ['lost', IconWifiOff],
} as const

/** In words, while the participant's connection is not what it should be. */
export const Quality = ({ participant }: { participant: Participant }) => {
  const { t } = useTranslation()
  const { quality } = useConnectionQualityIndicator({ participant })
  if (quality !== ConnectionQuality.Poor && quality !== ConnectionQuality.Lost) return null
  const [name, Icon] = words[quality]
  return (
    <span className={classes.quality} data-lost={name === 'lost'}>
      <Icon size={18} aria-hidden />
      <span className={classes.words}>{t(`live.quality.${name}`)}</span>
    </span>
  )
}
