import { IconMessage, IconShieldLock, IconUsers } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useLive } from '../context.ts'
import { Control, ICON } from './Control.tsx'

export const ChatControl = () => {
  const { t } = useTranslation()
  const { panels, chat } = useLive()
  const isOpen = panels.shown === 'chat'
  if (!panels.hasChat) return null
  return (
    <Control
      look={isOpen ? 'active' : 'plain'}
      icon={<IconMessage size={ICON} />}
      label={t('live.control.chat')}
      count={chat.unread}
      isNews
      {...(chat.unread > 0 && { countText: t('live.unread', { count: chat.unread }) })}
      aria-expanded={isOpen}
      onClick={() => panels.toggle('chat')}
    />
  )
}

export const PeopleControl = () => {
  const { t } = useTranslation()
  const { panels, call } = useLive()
  const isOpen = panels.shown === 'people'
  return (
    <Control
      look={isOpen ? 'active' : 'plain'}
      icon={<IconUsers size={ICON} />}
      label={t('live.control.people')}
      count={call?.participantCount ?? 0}
      aria-expanded={isOpen}
      onClick={() => panels.toggle('people')}
    />
  )
}

/** For moderators. */
export const HostControl = () => {
  const { t } = useTranslation()
  const { panels, isModerator, waiting } = useLive()
  const count = waiting.people.length
  const isOpen = panels.shown === 'host'
  if (!isModerator) return null
  return (
    <Control
      look={isOpen ? 'active' : 'plain'}
      icon={<IconShieldLock size={ICON} />}
      label={t('live.control.host')}
      hint={t('host.title')}
      count={count}
      {...(count > 0 && { countText: t('host.waiting.title', { count }) })}
      aria-expanded={isOpen}
      onClick={() => panels.toggle('host')}
    />
  )
}
