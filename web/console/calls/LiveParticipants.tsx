import { Group, Text } from '@mantine/core'
import { IconBroadcast, IconHandStop } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { LiveParticipant } from '../data/calls.ts'
import type { Room } from '../data/rooms.ts'
import { Records } from '../ui/Records.tsx'
import { ParticipantMenu } from './ParticipantMenu.tsx'

interface LiveParticipantsProps {
  room: Room
  participants: LiveParticipant[]
  mayModerate: boolean
}

/** Raised hands first, in the order they went up; the others as they came. */
const placeOf = ({ handRaisedAt }: LiveParticipant) =>
  handRaisedAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(handRaisedAt)

export const LiveParticipants = ({ room, participants, mayModerate }: LiveParticipantsProps) => {
  const { t } = useTranslation()
  return (
    <Records
      label={t('call.live')}
      records={participants.toSorted((one, other) => placeOf(one) - placeOf(other))}
      idOf={participant => participant.participantId}
      columns={[
        { head: t('person'), isName: true, cell: participant => participant.name },
        { head: t('call.role'), cell: participant => <Text size="sm">{t(`call.role.${participant.role}`)}</Text> },
        { head: t('call.joined'), cell: participant => <RelativeTime time={participant.joinedAt} /> },
        { head: t('call.signs'), cell: participant => <Signs participant={participant} /> },
        ...(mayModerate
          ? [
              {
                head: t('actions'),
                isActions: true,
                cell: (participant: LiveParticipant) => <ParticipantMenu room={room} participant={participant} />,
              },
            ]
          : []),
      ]}
    />
  )
}

/** The raised hand and the floor. */
const Signs = ({ participant: { handRaisedAt, hasFloor } }: { participant: LiveParticipant }) => {
  const { t } = useTranslation()
  if (handRaisedAt === null && !hasFloor) return '–'
  return (
    <Group gap="sm">
      {handRaisedAt !== null && (
        <Group gap={4} wrap="nowrap">
          <IconHandStop size={16} aria-hidden />
          <Text size="sm">
            {t('call.hand')}, <RelativeTime time={handRaisedAt} />
          </Text>
        </Group>
      )}
      {hasFloor && (
        <Group gap={4} wrap="nowrap">
          <IconBroadcast size={16} aria-hidden />
          <Text size="sm">{t('call.onAir')}</Text>
        </Group>
      )}
    </Group>
  )
}
