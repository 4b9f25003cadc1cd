import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { codeOf } from '../../ui/api.ts'
import { clientOf, type Entry } from '../access.ts'
import classes from './lobby.module.css'

/** Who is in already; only those who have entered before, or have an account, are told. */
export const useCompany = ({ access, spaceId, roomId }: Entry) =>
  useQuery({
    queryKey: ['company', roomId],
    enabled: access.by !== 'link',
    refetchInterval: 10_000,
    gcTime: 0,
    queryFn: async () => {
      try {
        return (await clientOf(access).getCall({ spaceId, roomId })).participants.map(({ name }) => name)
      } catch (error) {
        if (codeOf(error) === 'no_call') return []
        throw error
      }
    },
  })

export const Company = ({ entry, names }: { entry: Entry; names: string[] | undefined }) => {
  const { t } = useTranslation()
  const isViewer = entry.type === 'webinar' && entry.role === 'user'
  const [first, second] = names ?? []
  const text = () => {
    if (!names) return isViewer ? t('lobby.viewer') : ''
    if (names.length === 0) return t(isViewer ? 'lobby.notStarted' : 'lobby.nobody')
    if (names.length === 1) return t('lobby.one', { first })
    if (names.length === 2) return t('lobby.two', { first, second })
    return t('lobby.many', { first, second, count: names.length - 2 })
  }
  // Who has not been in is not told, and so no place is kept for it.
  if (entry.access.by === 'link' && !isViewer) return null
  return <Text className={classes.company}>{text()}</Text>
}
