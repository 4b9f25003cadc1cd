import { useTranslation } from 'react-i18next'
import { type Room, useRoomSwitch } from '../data/rooms.ts'
import { Switch } from '../ui/Switch.tsx'

/** Ends with the call. Locked without one, the room lets nobody but moderators begin: also until somebody unlocks it. */
export const RoomLock = ({ room, isLive }: { room: Room; isLive: boolean }) => {
  const { t } = useTranslation()
  const change = useRoomSwitch(room)
  return (
    <Switch
      label={t('room.lock')}
      description={t(isLive ? 'room.lock.text' : 'room.lock.textNoCall')}
      checked={room.isLocked}
      onChange={event => change.mutate({ isLocked: event.currentTarget.checked })}
    />
  )
}
