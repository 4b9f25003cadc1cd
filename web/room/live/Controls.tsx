import { Menu } from '@mantine/core'
import {
  IconDoorExit,
  IconDots,
  IconHandStop,
  IconKeyboard,
  IconLayoutGrid,
  IconLink,
  IconMessage,
  IconMicrophone,
  IconMicrophoneOff,
  IconPhoneOff,
  IconScreenShare,
  IconScreenShareOff,
  IconSettings,
  IconUserSquareRounded,
  IconUsers,
  IconVideo,
  IconVideoOff,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { LanguageItems } from '../LanguageMenu.tsx'
import { Control } from './Control.tsx'
import { useLive } from './context.ts'
import classes from './live.module.css'
import { useModeration } from './moderation.ts'
import type { View } from './Stage.tsx'

export type PanelName = 'chat' | 'people'

interface ControlsProps {
  isNarrow: boolean
  panel: PanelName | null
  onPanel: (panel: PanelName) => void
  view: View
  onView: () => void
  hasChat: boolean
  unread: number
  onDevices: () => void
  onShortcuts: () => void
  onInvite: (() => void) | null
  onLeave: () => void
  onEnd: () => void
}

const size = 22

const MoreMenu = (props: ControlsProps) => {
  const { t } = useTranslation()
  const { media } = useLive()
  const { isNarrow, onPanel, view, onView, onDevices, onShortcuts, onInvite } = props
  return (
    <Menu position="top-end" width={240}>
      <Menu.Target>
        <Control icon={<IconDots size={size} aria-hidden />} label={t('live.control.more')} />
      </Menu.Target>
      <Menu.Dropdown>
        {isNarrow && media.mayUse.screen && (
          <Menu.Item leftSection={<IconScreenShare size={18} />} onClick={() => media.toggle('screen')}>
            {t(media.isOn.screen ? 'live.screenOff' : 'live.screenOn')}
          </Menu.Item>
        )}
        {isNarrow && (
          <Menu.Item leftSection={<IconUsers size={18} />} onClick={() => onPanel('people')}>
            {t('people.title')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={view === 'grid' ? <IconUserSquareRounded size={18} /> : <IconLayoutGrid size={18} />}
          onClick={onView}
        >
          {t(view === 'grid' ? 'live.toSpeaker' : 'live.toGrid')}
        </Menu.Item>
        <Menu.Item leftSection={<IconSettings size={18} />} onClick={onDevices}>
          {t('devices.title')}
        </Menu.Item>
        {onInvite && (
          <Menu.Item leftSection={<IconLink size={18} />} onClick={onInvite}>
            {t('live.invite')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconKeyboard size={18} />} onClick={onShortcuts}>
          {t('shortcuts.title')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('language.choose')}</Menu.Label>
        <LanguageItems />
      </Menu.Dropdown>
    </Menu>
  )
}

const Leave = ({ onLeave, onEnd }: Pick<ControlsProps, 'onLeave' | 'onEnd'>) => {
  const { t } = useTranslation()
  const { isModerator } = useLive()
  const icon = <IconPhoneOff size={size} aria-hidden />
  if (!isModerator) return <Control look="leave" icon={icon} label={t('live.control.leave')} onClick={onLeave} />
  return (
    <Menu position="top-end" width={240}>
      <Menu.Target>
        <Control look="leave" icon={icon} label={t('live.control.leave')} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconDoorExit size={18} />} onClick={onLeave}>
          {t('live.leaveOnly')}
        </Menu.Item>
        <Menu.Item c="red.4" leftSection={<IconPhoneOff size={18} />} onClick={onEnd}>
          {t('live.endForAll')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

export const Controls = (props: ControlsProps) => {
  const { t } = useTranslation()
  const { media, self, call } = useLive()
  const { raiseHand } = useModeration()
  const { isNarrow, panel, onPanel, hasChat, unread } = props
  const isHandUp = self?.handRaisedAt != null
  const { mayUse, isOn } = media
  return (
    <nav className={classes.bar} aria-label={t('live.controls')}>
      {mayUse.microphone && (
        <Control
          look={isOn.microphone ? 'plain' : 'off'}
          icon={isOn.microphone ? <IconMicrophone size={size} /> : <IconMicrophoneOff size={size} />}
          label={t('live.control.microphone')}
          hint={t(isOn.microphone ? 'live.hint.microphoneOff' : 'live.hint.microphoneOn')}
          aria-pressed={isOn.microphone}
          onClick={() => media.toggle('microphone')}
        />
      )}
      {mayUse.camera && (
        <Control
          look={isOn.camera ? 'plain' : 'off'}
          icon={isOn.camera ? <IconVideo size={size} /> : <IconVideoOff size={size} />}
          label={t('live.control.camera')}
          hint={t(isOn.camera ? 'live.hint.cameraOff' : 'live.hint.cameraOn')}
          aria-pressed={isOn.camera}
          onClick={() => media.toggle('camera')}
        />
      )}
      {mayUse.screen && !isNarrow && (
        <Control
          look={isOn.screen ? 'active' : 'plain'}
          icon={isOn.screen ? <IconScreenShareOff size={size} /> : <IconScreenShare size={size} />}
          label={t('live.control.screen')}
          hint={t(isOn.screen ? 'live.hint.screenOff' : 'live.hint.screenOn')}
          aria-pressed={isOn.screen}
          onClick={() => media.toggle('screen')}
        />
      )}
      <Control
        look={isHandUp ? 'active' : 'plain'}
        icon={<IconHandStop size={size} />}
        label={t('live.control.hand')}
        hint={t(isHandUp ? 'live.hint.handDown' : 'live.hint.handUp')}
        aria-pressed={isHandUp}
        onClick={() => raiseHand(!isHandUp)}
      />
      {hasChat && (
        <Control
          look={panel === 'chat' ? 'active' : 'plain'}
          icon={<IconMessage size={size} />}
          label={t('live.control.chat')}
          count={unread}
          {...(unread > 0 && { countText: t('live.unread', { count: unread }) })}
          aria-expanded={panel === 'chat'}
          onClick={() => onPanel('chat')}
        />
      )}
      {!isNarrow && (
        <Control
          look={panel === 'people' ? 'active' : 'plain'}
          icon={<IconUsers size={size} />}
          label={t('live.control.people')}
          count={call?.participants.length ?? 0}
          aria-expanded={panel === 'people'}
          onClick={() => onPanel('people')}
        />
      )}
      <MoreMenu {...props} />
      <Leave {...props} />
    </nav>
  )
}
