import { useThisRoom } from './RoomPage.tsx'
import { RoomSettings } from './RoomSettings.tsx'

/** What the people in the room can do. */
export const RoomPermissions = () => {
  const { room } = useThisRoom()
  return <RoomSettings room={room} />
}
