import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type LiveParticipant, removeFromCall, useLinkOf } from '../data/calls.ts'
import { revokeLink } from '../data/links.ts'
import { type Room, updateRoom } from '../data/rooms.ts'
import { ConfirmDialog } from '../ui/Confirm.tsx'
import { Switch } from '../ui/Switch.tsx'

interface RemoveDialogProps {
  room: Room
  participant: LiveParticipant
  opened: boolean
  onClose: () => void
}

/** Who came by a link for many could return under another name: what helps is offered. */
export const RemoveDialog = ({ room, participant, opened, onClose }: RemoveDialogProps) => {
  const { t } = useTranslation()
  const { participantId, name, role } = participant
  const link = useLinkOf(room, participantId, opened).data
  const text = t(link?.isForMany ? 'call.remove.textOfMany' : 'call.remove.text')
  const onConfirm = async (fields: FormData) => {
    // First, so that there is no moment to come back in.
    if (fields.has('waitingRoom')) await updateRoom(room, { waitingRoomAudience: 'guests' })
    await removeFromCall(room, participantId)
    if (fields.has('endLink') && link?.linkId) await revokeLink(room, link.linkId)
  }
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('call.remove.title', { name })}
      text={role === 'moderator' ? `${text} ${t('remove.links')}` : text}
      fields={
        link?.isForMany && (
          <Stack gap="sm">
            {room.waitingRoomAudience === 'nobody' && (
              <Switch
                name="waitingRoom"
                label={t('remove.turnOnWaitingRoom')}
                description={t('remove.turnOnWaitingRoom.text')}
              />
            )}
            <Switch name="endLink" label={t('remove.endLink')} description={t('remove.endLink.text')} />
          </Stack>
        )
      }
      confirmLabel={t('call.remove')}
      onConfirm={onConfirm}
    />
  )
}
