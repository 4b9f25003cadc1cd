import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { RoomPatch } from '../../../../contract/rooms.ts'
import { roomKeyOf } from '../call.ts'
import { useLive } from '../context.ts'
import { refusalText } from '../refusal.ts'

/** Room settings are changed with an account: guests who moderate are told so. */
export const useMayChangeRoom = () => {
  const { joinedCall, isModerator } = useLive()
  return isModerator && joinedCall.access.credentials.by === 'user'
}

/** Changes settings of the room during the call; the pages of others are told by the service. */
export const useRoomChange = () => {
  const { t } = useTranslation()
  const { joinedCall, say } = useLive()
  const { client, access } = joinedCall
  const { spaceId, roomId } = access
  const queries = useQueryClient()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (patch: RoomPatch) => client.updateRoom({ spaceId, roomId, ...patch }),
    onSuccess: room => queries.setQueryData(roomKeyOf(roomId), room),
    onError: error => say(refusalText(error, t)),
  })
  return { change: mutate, changing: isPending ? variables : undefined }
}
