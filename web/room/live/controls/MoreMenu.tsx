import { Menu } from '@mantine/core'
import {
  IconAspectRatio,
  IconBell,
  IconBellOff,
  IconBroadcast,
  IconCrop169,
  IconDots,
  IconEyeOff,
  IconKeyboard,
  IconLayoutGrid,
  IconLayoutGridAdd,
  IconLink,
  IconPencil,
  IconPictureInPictureTop,
  IconPlayerRecord,
  IconPlayerStop,
  IconScreenShare,
  IconSettings,
  IconShieldLock,
  IconUserDown,
  IconUserSquareRounded,
  IconUsers,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { LanguageItems } from '../../LanguageMenu.tsx'
import { useLive } from '../context.ts'
import { useFloor } from '../floor.ts'
import { useInvite } from '../invite.ts'
import { isPermitted } from '../may.ts'
import { useRecording } from '../recording.ts'
import { useStreaming } from '../streaming.ts'
import { Control, ICON, MENU_ICON } from './Control.tsx'
import { ReactionRow } from './ReactionControl.tsx'

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
        {isNarrow && <ReactionRow />}
        {isNarrow && <NarrowItems />}
        <RecordItem />
        <StreamItem />
        <ViewItem />
        <FitItem />
        <SelfViewItems />
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

/** For moderators, where the room allows it. */
const RecordItem = () => {
  const { t } = useTranslation()
  const recording = useRecording()
  if (!recording) return null
  const { record, askToStart, askToStop } = recording
  const Icon = record ? IconPlayerStop : IconPlayerRecord
  return (
    <Menu.Item leftSection={<Icon size={MENU_ICON} />} onClick={record ? askToStop : askToStart}>
      {t(record ? 'live.record.stop' : 'live.record.start')}
    </Menu.Item>
  )
}

/** For moderators. */
const StreamItem = () => {
  const { t } = useTranslation()
  const streaming = useStreaming()
  if (!streaming) return null
  const { stream, askToStart, askToStop } = streaming
  const Icon = stream ? IconPlayerStop : IconBroadcast
  return (
    <Menu.Item leftSection={<Icon size={MENU_ICON} />} onClick={stream ? askToStop : askToStart}>
      {t(stream ? 'live.stream.stop' : 'live.stream.start')}
    </Menu.Item>
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

const FitItem = () => {
  const { t } = useTranslation()
  const { look } = useLive()
  const isFilled = look.fit === 'fill'
  const Icon = isFilled ? IconAspectRatio : IconCrop169
  return (
    <Menu.Item
      leftSection={<Icon size={MENU_ICON} />}
      onClick={() => look.change({ fit: isFilled ? 'whole' : 'fill' })}
    >
      {t(isFilled ? 'live.toWhole' : 'live.toFill')}
    </Menu.Item>
  )
}

/** Where the person sees themselves; nothing to choose for whoever isn't seen. */
const SelfViewItems = () => {
  const { t } = useTranslation()
  const { look, media } = useLive()
  const { selfView, change } = look
  if (!media.mayUse.camera) return null
  const isHidden = selfView === 'hidden'
  return (
    <>
      {selfView !== 'floating' && (
        <Menu.Item
          leftSection={<IconPictureInPictureTop size={MENU_ICON} />}
          onClick={() => change({ selfView: 'floating' })}
        >
          {t('live.self.float')}
        </Menu.Item>
      )}
      {selfView !== 'grid' && (
        <Menu.Item leftSection={<IconLayoutGridAdd size={MENU_ICON} />} onClick={() => change({ selfView: 'grid' })}>
          {t('live.self.grid')}
        </Menu.Item>
      )}
      {!isHidden && (
        <Menu.Item leftSection={<IconEyeOff size={MENU_ICON} />} onClick={() => change({ selfView: 'hidden' })}>
          {t('live.self.hide')}
        </Menu.Item>
      )}
    </>
  )
}

const DialogItems = ({ isNarrow }: { isNarrow: boolean }) => {
  const { t } = useTranslation()
  const live = useLive()
  const { dialogs, comings } = live
  const invite = useInvite()
  const floor = useFloor()
  return (
    <>
      {floor.mayGiveBack && (
        <Menu.Item leftSection={<IconUserDown size={MENU_ICON} />} onClick={() => void floor.giveBack()}>
          {t('live.giveFloorBack')}
        </Menu.Item>
      )}
      {isPermitted(live, 'name') && (
        <Menu.Item leftSection={<IconPencil size={MENU_ICON} />} onClick={() => dialogs.show('rename')}>
          {t('rename.title')}
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={comings.isOn ? <IconBell size={MENU_ICON} /> : <IconBellOff size={MENU_ICON} />}
        onClick={comings.toggle}
        closeMenuOnClick={false}
      >
        {t(comings.isOn ? 'live.comings.on' : 'live.comings.off')}
      </Menu.Item>
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
