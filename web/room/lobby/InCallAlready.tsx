import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { codeOf } from '../../ui/api.ts'
import { clientOf, type RoomAccess } from '../access.ts'
import classes from './lobby.module.css'

/** The people in the call; a guest is told of them only after having joined before. */
export const useInCallAlready = ({ credentials, spaceId, roomId, recording }: RoomAccess) =>
  useQuery({
    queryKey: ['inCallAlready', roomId],
    enabled: credentials.by !== 'link',
    refetchInterval: 10_000,
    gcTime: 0,
    queryFn: async () => {
      try {
        const call = await clientOf(credentials).getLiveCall({ spaceId, roomId })
        const { participantCount, participants, record, stream } = call
        return {
          count: participantCount,
          names: participants.map(({ name }) => name),
          recording: record && ('now' as const),
          isStreamed: stream !== null,
        }
      } catch (error) {
        if (codeOf(error) === 'no_call')
          return { count: 0, names: [], recording: recording === 'from_start' ? recording : null, isStreamed: false }
        throw error
      }
    },
  })

interface InCallAlreadyProps {
  access: RoomAccess
  /** Of a large call not all names are known. */
  inCall: { count: number; names: string[] } | undefined
}

export const InCallAlready = ({ access, inCall }: InCallAlreadyProps) => {
  const { t } = useTranslation()
  const isViewer = access.type === 'webinar' && access.role === 'user'
  const text = () => {
    if (!inCall) return isViewer ? t('lobby.viewer') : ''
    const { count, names } = inCall
    const [first, second] = names
    if (count === 0) return t(isViewer ? 'lobby.notStarted' : 'lobby.nobody')
    if (count === 1) return t('lobby.one', { first })
    if (count === 2) return t('lobby.two', { first, second })
    if (names.length < 2) return t('lobby.count', { count })
    return t('lobby.many', { first, second, count: count - 2 })
  }
  // A guest who has not joined before is told nothing, and so no place is kept for it.
  if (access.credentials.by === 'link' && !isViewer) return null
  return <Text className={classes.inCallAlready}>{text()}</Text>
}
