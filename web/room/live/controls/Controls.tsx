import { useTranslation } from 'react-i18next'
import classes from '../live.module.css'
import { useIsNarrow } from '../view.ts'
import { HandControl } from './HandControl.tsx'
import { LeaveControl } from './LeaveControl.tsx'
import { MediaControl } from './MediaControl.tsx'
import { MoreMenu } from './MoreMenu.tsx'
import { ChatControl, HostControl, PeopleControl } from './PanelControls.tsx'
import { ReactionControl } from './ReactionControl.tsx'

/** The bar below the stage. */
export const Controls = () => {
  const { t } = useTranslation()
  const isNarrow = useIsNarrow()
  return (
    <nav className={classes.bar} aria-label={t('live.controls')}>
      <MediaControl input="microphone" />
      <MediaControl input="camera" />
      {!isNarrow && <MediaControl input="screen" />}
      <HandControl />
      {!isNarrow && <ReactionControl />}
      <ChatControl />
      {!isNarrow && <PeopleControl />}
      {!isNarrow && <HostControl />}
      <MoreMenu isNarrow={isNarrow} />
      <LeaveControl />
    </nav>
  )
}
