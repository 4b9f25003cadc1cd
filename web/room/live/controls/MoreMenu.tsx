import { Menu } from '@mantine/core'
import {
  IconDots,
  IconKeyboard,
  IconLayoutGrid,
  IconLink,
  IconScreenShare,
  IconSettings,
  IconShieldLock,
  IconUserSquareRounded,
  IconUsers,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { LanguageItems } from '../../LanguageMenu.tsx'
import { useLive } from '../context.ts'
import { useInvite } from '../invite.ts'
import { Control, ICON, MENU_ICON } from './Control.tsx'

export const MoreMenu = ({ isNarrow }: { isNarrow: boolean }) => {
  const { t } = useTranslation()
  // Of the host controls, which are in here.
  const count = useLive().waiting.people.length * Number(isNarrow)
  return (
    <Menu position="top-end" width={240}>
      <Menu.Target>
        <Control
          icon={<IconDots size={ICON} aria-hidden />}
          label={t('live.control.more')}
          count={count}
          {...(count > 0 && { countText: t('host.waiting.title', { count }) })}
        />
      </Menu.Target>
      <Menu.Dropdown>
        {isNarrow && <NarrowItems />}
        <ViewItem />
        <DialogItems isNarrow={isNarrow} />
        <Menu.Divider />
        <Menu.Label>{t('language.choose')}</Menu.Label>
        <LanguageItems />
      </Menu.Dropdown>
    </Menu>
  )
}

/** What a narrow bar has no room for. */
const NarrowItems = () => {
  const { t } = useTranslation()
  const { media, panels, isModerator } = useLive()
  return (
    <>
      {media.mayUse.screen && (
        <Menu.Item leftSection={<IconScreenShare size={MENU_ICON} />} onClick={() => media.toggle('screen')}>
          {t(media.isOn.screen ? 'live.screenOff' : 'live.screenOn')}
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconUsers size={MENU_ICON} />} onClick={() => panels.toggle('people')}>
        {t('people.title')}
      </Menu.Item>
      {isModerator && (
        <Menu.Item leftSection={<IconShieldLock size={MENU_ICON} />} onClick={() => panels.toggle('host')}>
          {t('host.title')}
        </Menu.Item>
      )}
    </>
  )
}

const ViewItem = () => {
  const { t } = useTranslation()
  const { view, toggleView } = useLive()
  const Icon = view === 'grid' ? IconUserSquareRounded : IconLayoutGrid
  return (
    <Menu.Item leftSection={<Icon size={MENU_ICON} />} onClick={toggleView}>
      {t(view === 'grid' ? 'live.toSpeaker' : 'live.toGrid')}
    </Menu.Item>
  )
}

const DialogItems = ({ isNarrow }: { isNarrow: boolean }) => {
  const { t } = useTranslation()
  const { dialogs } = useLive()
  const invite = useInvite()
  return (
    <>
      <Menu.Item leftSection={<IconSettings size={MENU_ICON} />} onClick={() => dialogs.show('devices')}>
        {t('devices.title')}
      </Menu.Item>
      {invite && (
        <Menu.Item leftSection={<IconLink size={MENU_ICON} />} onClick={invite}>
          {t('live.invite')}
        </Menu.Item>
      )}
      {!isNarrow && (
        <Menu.Item leftSection={<IconKeyboard size={MENU_ICON} />} onClick={() => dialogs.show('shortcuts')}>
          {t('shortcuts.title')}
        </Menu.Item>
      )}
    </>
  )
}
