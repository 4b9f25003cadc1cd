import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, codeOf } from '../../ui/api.ts'
import type { Room } from '../data/rooms.ts'
import { Section } from '../ui/Page.tsx'

/** Who is in the room right now. */
export const LiveCall = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const { data: call } = useQuery({
    queryKey: ['call', room.spaceId, room.id],
    queryFn: () =>
      api.getCall({ spaceId: room.spaceId, roomId: room.id }).catch(error => {
        if (codeOf(error) === 'no_call') return null
        throw error
      }),
  })
  if (!call) return null
  return (
    <Section title={t('call.live')}>
      <Text size="sm">{call.participants.map(({ name }) => name).join(', ')}</Text>
    </Section>
  )
}
