import { useTranslation } from 'react-i18next'
import { useLive } from '../context.ts'
import { RoomSwitch } from './RoomSwitch.tsx'
import { Section } from './Section.tsx'

/** What everyone but the moderators may do. */
export const Permissions = () => {
  const { t } = useTranslation()
  const { room } = useLive()
  return (
    <Section title={t('host.permissions')}>
      {room?.type === 'webinar' && (
        <RoomSwitch
          flag="isFloorAllowed"
          label={t('host.permission.floor')}
          description={t('host.permission.floor.text')}
        />
      )}
      <RoomSwitch flag="isMicrophonePublishingAllowed" label={t('host.permission.microphone')} />
      <RoomSwitch flag="isCameraPublishingAllowed" label={t('host.permission.camera')} />
      {room?.isScreensharingAllowed === false ? (
        <RoomSwitch
          flag="isScreensharingAllowed"
          label={t('host.permission.screen')}
          description={t('host.permission.screen.off')}
        />
      ) : (
        <RoomSwitch flag="isScreenMediaPublishingAllowed" label={t('host.permission.screen')} />
      )}
      <RoomSwitch flag="isChatAllowed" label={t('host.permission.chat')} />
      <RoomSwitch flag="isHandRaisingAllowed" label={t('host.permission.hand')} />
      <RoomSwitch flag="isSelfRenamingAllowed" label={t('host.permission.name')} />
    </Section>
  )
}
