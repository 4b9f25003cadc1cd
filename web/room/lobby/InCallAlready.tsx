import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { codeOf } from '../../ui/api.ts'
import { clientOf, type RoomAccess } from '../access.ts'
import classes from './lobby.module.css'

/** The people in the call; a guest is told of them only after having joined before. */
export const useInCallAlready = ({ credentials, spaceId, roomId }: RoomAccess) =>
  useQuery({
    queryKey: ['inCallAlready', roomId],
    enabled: credentials.by !== 'link',
    refetchInterval: 10_000,
    gcTime: 0,
    queryFn: async () => {
      try {
        return (await clientOf(credentials).getCall({ spaceId, roomId })).participants.map(({ name }) => name)
      } catch (error) {
        if (codeOf(error) === 'no_call') return []
        throw error
      }
    },
  })

export const InCallAlready = ({ access, names }: { access: RoomAccess; names: string[] | undefined }) => {
  const { t } = useTranslation()
  const isViewer = access.type === 'webinar' && access.role === 'user'
  const [first, second] = names ?? []
  const text = () => {
    if (!names) return isViewer ? t('lobby.viewer') : ''
    if (names.length === 0) return t(isViewer ? 'lobby.notStarted' : 'lobby.nobody')
    if (names.length === 1) return t('lobby.one', { first })
    if (names.length === 2) return t('lobby.two', { first, second })
    return t('lobby.many', { first, second, count: names.length - 2 })
  }
  // A guest who has not joined before is told nothing, and so no place is kept for it.
  if (access.credentials.by === 'link' && !isViewer) return null
  return <Text className={classes.inCallAlready}>{text()}</Text>
}
