import { useConnectionQualityIndicator } from '@livekit/components-react'
import { IconAlertTriangle, IconWifiOff } from '@tabler/icons-react'
import { ConnectionQuality, type Participant } from 'livekit-client'
import { useTranslation } from 'react-i18next'
import classes from './quality.module.css'

const words = {
  [ConnectionQuality.Poor]: ['poor', IconAlertTriangle],
  [ConnectionQuality.Lost]: ['lost', IconWifiOff],
} as const

/** In words, while a connection is not what it should be. One's own is told at the top, wherever one's picture is. */
export const Quality = ({ participant }: { participant: Participant }) => {
  const { t } = useTranslation()
  const { quality } = useConnectionQualityIndicator({ participant })
  if (quality !== ConnectionQuality.Poor && quality !== ConnectionQuality.Lost) return null
  const [name, Icon] = words[quality]
  return (
    <span className={classes.quality} data-lost={name === 'lost'}>
      <Icon size={18} aria-hidden />
      <span className={classes.words}>{t(`live.quality.${name}${participant.isLocal ? 'Own' : ''}`)}</span>
    </span>
  )
}
