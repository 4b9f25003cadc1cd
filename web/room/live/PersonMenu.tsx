import { Menu } from '@mantine/core'
import {
  IconMicrophoneOff,
  IconScreenShareOff,
  IconStar,
  IconStarOff,
  IconUserMinus,
  IconUserShare,
  IconVideoOff,
} from '@tabler/icons-react'
import type { Participant } from 'livekit-client'
import { useTranslation } from 'react-i18next'
import { ActionsMenu } from './ActionsMenu.tsx'
import type { CallParticipant } from './call.ts'
import { useLive } from './context.ts'
import { useModeration } from './moderation.ts'
import { useSpeakInvitation } from './speaking.ts'

export interface PersonProps {
  participant: Participant
  callParticipant: CallParticipant | undefined
}

/** What a moderator can do about one participant. */
export const PersonMenu = ({ participant, callParticipant }: PersonProps) => {
  const { t } = useTranslation()
  const { room, dialogs, call } = useLive()
  const { mute, giveFloor, spotlight } = useModeration()
  const inviteToSpeak = useSpeakInvitation()
  const { identity, isMicrophoneEnabled, isCameraEnabled, isScreenShareEnabled } = participant
  const name = participant.name ?? ''
  const mayGetFloor = room?.type === 'webinar' && callParticipant?.role === 'user'
  const isOnStage = participant.permissions?.canPublish === true
  const isSpotlit = call?.spotlight?.participantId === identity
  return (
    <ActionsMenu label={t('people.actions', { name })}>
      <Menu.Item
        leftSection={<IconMicrophoneOff size={18} />}
        disabled={!isMicrophoneEnabled}
        onClick={() => mute(identity, 'microphone')}
      >
        {t('people.muteMicrophone')}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconVideoOff size={18} />}
        disabled={!isCameraEnabled}
        onClick={() => mute(identity, 'camera')}
      >
        {t('people.stopCamera')}
      </Menu.Item>
      {isScreenShareEnabled && (
        <Menu.Item leftSection={<IconScreenShareOff size={18} />} onClick={() => mute(identity, 'screen')}>
          {t('people.stopScreen')}
        </Menu.Item>
      )}
      {mayGetFloor && (
        <Menu.Item
          leftSection={<IconUserShare size={18} />}
          onClick={() => (callParticipant.hasFloor ? giveFloor(identity, false) : inviteToSpeak(identity, name))}
        >
          {t(callParticipant.hasFloor ? 'people.takeFloor' : 'people.giveFloor')}
        </Menu.Item>
      )}
      {(isOnStage || isSpotlit) && (
        <Menu.Item
          leftSection={isSpotlit ? <IconStarOff size={18} /> : <IconStar size={18} />}
          onClick={() =>
            isSpotlit ? spotlight(null) : spotlight(identity, isScreenShareEnabled ? 'screen' : 'camera')
          }
        >
          {t(isSpotlit ? 'people.spotlight.end' : 'people.spotlight')}
        </Menu.Item>
      )}
      <Menu.Item
        c="red.4"
        leftSection={<IconUserMinus size={18} />}
        onClick={() => dialogs.askToRemove({ participantId: identity, name, role: callParticipant?.role ?? 'user' })}
      >
        {t('people.remove.menu')}
      </Menu.Item>
    </ActionsMenu>
  )
}
