import { useTranslation } from 'react-i18next'
import type { Room } from '../data/rooms.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'

/** To whom the room's address is open, after the rules of the service. */
export const RoomAudience = ({ room }: { room: Pick<Room, 'isPublic'> }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const audience = room.isPublic ? (space.isPublic ? 'users' : 'members') : 'roles'
  return <span>{t(`room.openTo.${audience}`)}</span>
}
