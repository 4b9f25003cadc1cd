import { Button, Skeleton, Text } from '@mantine/core'
import { IconHandOff, IconMicrophoneOff } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { endCall, type LiveCall as Live, lowerAllHands, muteAll, useLiveCall } from '../data/calls.ts'
import type { Room } from '../data/rooms.ts'
import { useMe } from '../data/session.ts'
import { managesRoom, mayChangeRoom } from '../may.ts'
import { RoomLock } from '../rooms/RoomLock.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { tell, tellProblem } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'
import { LiveParticipants } from './LiveParticipants.tsx'

/** The people in the room right now and, for moderators, what they can do. */
export const LiveCall = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const me = useMe()
  const query = useLiveCall(room)
  const call = query.data
  const isKnown = !query.isError
  const isEmptied = call?.participantCount === 0
  const mayModerate = managesRoom(room, me)
  const mayChange = mayChangeRoom(room, useThisSpace(), me)
  return (
    <Section
      title={t('call.live')}
      description={
        call &&
        isKnown &&
        !isEmptied && (
          <>
            {t('call.people', { count: call.participantCount })}, {t('call.since')}{' '}
            <RelativeTime time={call.startedAt} />
          </>
        )
      }
      actions={call && isKnown && !isEmptied && mayModerate && <ForAll room={room} call={call} />}
    >
      <Loaded query={query} skeleton={<Skeleton h={20} w="60%" />}>
        {call => (
          <>
            {!isKnown && <ProblemNotice error={query.error} onRetry={() => query.refetch()} />}
            {call === null ? (
              <Text size="sm" c="dimmed">
                {t('call.nobody')} {t(mayModerate ? 'call.nobody.text' : 'call.nobody.textUser')}
              </Text>
            ) : isEmptied ? (
              <Text size="sm" c="dimmed">
                {t('call.emptied')}
              </Text>
            ) : (
              <LiveParticipants room={room} call={call} mayModerate={mayModerate && isKnown} />
            )}
          </>
        )}
      </Loaded>
      {mayChange && <RoomLock room={room} isLive={Boolean(call)} />}
    </Section>
  )
}

/** What concerns everybody in the call. */
const ForAll = ({ room, call }: { room: Room; call: Live }) => {
  const { t } = useTranslation()
  const silence = useMutation({
    mutationFn: () => muteAll(room, 'microphone'),
    onSuccess: () => tell(t('call.muteAll.done')),
    onError: tellProblem,
  })
  const lower = useMutation({ mutationFn: () => lowerAllHands(room), onError: tellProblem })
  return (
    <>
      {call.participants.some(({ handRaisedAt }) => handRaisedAt !== null) && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconHandOff size={14} aria-hidden />}
          onClick={() => lower.mutate()}
          loading={lower.isPending}
        >
          {t('call.hands.lower')}
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconMicrophoneOff size={14} aria-hidden />}
        onClick={() => silence.mutate()}
        loading={silence.isPending}
      >
        {t('call.muteAll')}
      </Button>
      <ConfirmButton
        label={t('call.end')}
        size="xs"
        variant="outline"
        title={t('call.end.title')}
        text={t('call.end.text')}
        confirmLabel={t('call.end')}
        onConfirm={() => endCall(room)}
      />
    </>
  )
}
