import { Menu } from '@mantine/core'
import { IconDoorExit, IconPhoneOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useLive } from '../context.ts'
import { useLeaving } from '../leaving.ts'
import { Control, ICON, MENU_ICON } from './Control.tsx'

/** A moderator chooses between leaving and ending the call for everyone. */
export const LeaveControl = () => {
  const { t } = useTranslation()
  const { isModerator } = useLive()
  const { leave, askToEnd } = useLeaving()
  const look = {
    look: 'leave',
    icon: <IconPhoneOff size={ICON} aria-hidden />,
    label: t('live.control.leave'),
  } as const
  if (!isModerator) return <Control {...look} onClick={leave} />
  return (
    <Menu position="top-end" width={240}>
      <Menu.Target>
        <Control {...look} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconDoorExit size={MENU_ICON} />} onClick={leave}>
          {t('live.leaveOnly')}
        </Menu.Item>
        <Menu.Item c="red.4" leftSection={<IconPhoneOff size={MENU_ICON} />} onClick={askToEnd}>
          {t('live.endForAll')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
