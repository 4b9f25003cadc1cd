import { IconHandStop } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useHand } from '../hand.ts'
import { Control, ICON } from './Control.tsx'

export const HandControl = () => {
  const { t } = useTranslation()
  const hand = useHand()
  if (!hand.isUp && !hand.mayRaise) return null
  return (
    <Control
      look={hand.isUp ? 'active' : 'plain'}
      icon={<IconHandStop size={ICON} />}
      label={t('live.control.hand')}
      hint={t(hand.isUp ? 'live.hint.handDown' : 'live.hint.handUp')}
      aria-pressed={hand.isUp}
      onClick={hand.toggle}
    />
  )
}
