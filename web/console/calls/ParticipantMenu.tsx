import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconBroadcast,
  IconBroadcastOff,
  IconDots,
  IconHandOff,
  IconMicrophoneOff,
  IconScreenShareOff,
  IconUserOff,
  IconVideoOff,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { entriesOf } from '../../ui/entries.ts'
import { inviteToSpeak, type LiveParticipant, letsViewersSpeak, lowerHand, mute, setFloor } from '../data/calls.ts'
import type { Room } from '../data/rooms.ts'
import { ConfirmDialog } from '../ui/Confirm.tsx'
import { tell, tellProblem } from '../ui/notify.ts'
import { RemoveDialog } from './RemoveDialog.tsx'

const sources = { microphone: IconMicrophoneOff, camera: IconVideoOff, screen: IconScreenShareOff } as const
type Source = keyof typeof sources

interface ParticipantMenuProps {
  room: Room
  participant: LiveParticipant
}

/** What a moderator can do about one participant. */
export const ParticipantMenu = ({ room, participant }: ParticipantMenuProps) => {
  const { t } = useTranslation()
  const [isRemoving, { open, close }] = useDisclosure()
  const [isInviting, inviting] = useDisclosure()
  const { participantId, name, role, hasFloor, handRaisedAt } = participant
  const isOnAir = room.type === 'lesson' || role === 'moderator' || hasFloor
  const mayHaveFloor = room.type === 'webinar' && role === 'user'
  const changeFloor = () => {
    if (!hasFloor && !letsViewersSpeak(room)) return inviting.open()
    setFloor(room, participantId, !hasFloor).catch(tellProblem)
  }
  const switchOff = (source: Source) =>
    mute(room, participantId, source)
      .then(() => tell(t(`call.mute.${source}.done`, { name })))
      .catch(tellProblem)
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('call.actions', { name })}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayHaveFloor && (
            <Menu.Item
              leftSection={hasFloor ? <IconBroadcastOff size={16} /> : <IconBroadcast size={16} />}
              onClick={changeFloor}
            >
              {t(hasFloor ? 'call.floor.take' : 'call.floor.give')}
            </Menu.Item>
          )}
          {handRaisedAt !== null && (
            <Menu.Item
              leftSection={<IconHandOff size={16} />}
              onClick={() => lowerHand(room, participantId).catch(tellProblem)}
            >
              {t('call.hand.lower')}
            </Menu.Item>
          )}
          {isOnAir &&
            entriesOf(sources).map(([source, Icon]) => (
              <Menu.Item key={source} leftSection={<Icon size={16} />} onClick={() => switchOff(source)}>
                {t(`call.mute.${source}`)}
              </Menu.Item>
            ))}
          {(isOnAir || mayHaveFloor || handRaisedAt !== null) && <Menu.Divider />}
          <Menu.Item c="var(--mantine-color-error)" leftSection={<IconUserOff size={16} />} onClick={open}>
            {t('call.remove')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={isInviting}
        onClose={inviting.close}
        isHarmless
        title={t('call.floor.give.title', { name })}
        text={t('call.floor.give.text')}
        confirmLabel={t('call.floor.give')}
        onConfirm={() => inviteToSpeak(room, participantId)}
      />
      <RemoveDialog room={room} participant={participant} opened={isRemoving} onClose={close} />
    </>
  )
}
