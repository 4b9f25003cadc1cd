import { RoomLinks } from './RoomLinks.tsx'
import { useThisRoom } from './RoomPage.tsx'
import { RoomRoles } from './RoomRoles.tsx'

/** Who can come in: by a link, or by a role. */
export const RoomPeople = () => {
  const { room, isRemoved } = useThisRoom()
  return (
    <>
      {!isRemoved && <RoomLinks room={room} />}
      <RoomRoles room={room} />
    </>
  )
}
