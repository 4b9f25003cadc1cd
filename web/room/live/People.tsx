import { useIsMuted, useParticipants } from '@livekit/components-react'
import { ActionIcon, Button, TextInput } from '@mantine/core'
import {
  IconHandOff,
  IconHandStop,
  IconMicrophone,
  IconMicrophoneOff,
  IconPencil,
  IconVideo,
  IconVideoOff,
} from '@tabler/icons-react'
import { RoomEvent, Track } from 'livekit-client'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFocusRescueOf } from '../../ui/focus.ts'
import { initials } from '../names.ts'
import type { CallParticipant } from './call.ts'
import { useLive } from './context.ts'
import { useEveryone } from './everyone.ts'
import { isPermitted } from './may.ts'
import { useModeration } from './moderation.ts'
import { PersonMenu, type PersonProps } from './PersonMenu.tsx'
import classes from './panel.module.css'
import { ShowMore } from './ShowMore.tsx'
import { useSpeakInvitation } from './speaking.ts'

const Person = ({ participant, callParticipant }: PersonProps) => {
  const { t } = useTranslation()
  const { isModerator } = useLive()
  const line = useRef<HTMLLIElement>(null)
  useFocusRescueOf(line)
  const isMuted = useIsMuted({ participant, source: Track.Source.Microphone })
  const isDark = useIsMuted({ participant, source: Track.Source.Camera })
  const name = participant.name || callParticipant?.name || ''
  return (
    <li ref={line} className={classes.person}>
      <span className={classes.avatar} aria-hidden>
        {initials(name)}
      </span>
      <span className={classes.who}>
        <span className={classes.name}>{participant.isLocal ? t('live.you', { name }) : name}</span>
        {callParticipant?.role === 'moderator' && <span className={classes.role}>{t('people.moderator')}</span>}
        {callParticipant?.hasFloor && <span className={classes.role}>{t('people.hasFloor')}</span>}
      </span>
      {callParticipant?.handRaisedAt && (
        <span className={classes.hand} role="img" aria-label={t('live.handUp')}>
          <IconHandStop size={16} aria-hidden />
        </span>
      )}
      {isMuted ? (
        <IconMicrophoneOff size={18} className={classes.off} role="img" aria-label={t('people.microphoneOff')} />
      ) : (
        <IconMicrophone size={18} role="img" aria-label={t('people.microphoneOn')} />
      )}
      {isDark ? (
        <IconVideoOff size={18} className={classes.off} role="img" aria-label={t('people.cameraOff')} />
      ) : (
        <IconVideo size={18} role="img" aria-label={t('people.cameraOn')} />
      )}
      {participant.isLocal && <RenameButton />}
      {isModerator && !participant.isLocal && (
        <PersonMenu participant={participant} callParticipant={callParticipant} />
      )}
      {isModerator && callParticipant?.handRaisedAt && <HandActions {...{ participant, callParticipant }} />}
    </li>
  )
}

const RenameButton = () => {
  const { t } = useTranslation()
  const live = useLive()
  if (!isPermitted(live, 'name')) return null
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t('rename.title')}
      onClick={() => live.dialogs.show('rename')}
    >
      <IconPencil size={18} aria-hidden />
    </ActionIcon>
  )
}

/** What a moderator can do about a raised hand, right where it is seen. */
const HandActions = ({ participant, callParticipant }: PersonProps) => {
  const { t } = useTranslation()
  const { room } = useLive()
  const { lowerHand } = useModeration()
  const inviteToSpeak = useSpeakInvitation()
  const { identity } = participant
  const name = participant.name || callParticipant?.name || ''
  const mayInvite = room?.type === 'webinar' && callParticipant?.role === 'user' && !callParticipant.hasFloor
  return (
    <span className={classes.handActions}>
      {mayInvite && (
        <Button size="compact-sm" onClick={() => inviteToSpeak(identity, name)}>
          {t('people.giveFloor')}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('people.lowerHandOf', { name })}
        onClick={() => lowerHand(identity)}
      >
        {t('people.lowerHand')}
      </Button>
    </span>
  )
}

/** The latest moment there is for who has not raised it. */
const raisedAt = (participant: CallParticipant | undefined) =>
  participant?.handRaisedAt ? Date.parse(participant.handRaisedAt) : Number.MAX_SAFE_INTEGER

/** Hands first, in the order they went up; then moderators; then by name. */
const byPlace = (a: PersonProps, b: PersonProps): number => {
  const [one, other] = [a.callParticipant, b.callParticipant]
  const hands = raisedAt(one) - raisedAt(other) || 0
  const roles = Number(other?.role === 'moderator') - Number(one?.role === 'moderator')
  return hands || roles || (a.participant.name ?? '').localeCompare(b.participant.name ?? '')
}

/** All who are in the call; of a large one those listed with it and, for moderators, everyone by pages. */
const usePeople = (everyone: ReturnType<typeof useEveryone>): PersonProps[] => {
  const { callParticipants, isLarge } = useLive()
  const participants = useParticipants({
    updateOnlyOn: [
      RoomEvent.ParticipantPermissionsChanged,
      RoomEvent.TrackMuted,
      RoomEvent.TrackUnmuted,
      RoomEvent.TrackPublished,
      RoomEvent.TrackUnpublished,
    ],
  })
  const known = participants
    .map(participant => ({ participant, callParticipant: callParticipants.get(participant.identity) }))
    .sort(byPlace)
  if (!isLarge) return known
  const present = new Map(participants.map(participant => [participant.identity, participant]))
  const paged = (everyone.pages.data ?? []).flatMap(callParticipant => {
    const participant = present.get(callParticipant.participantId)
    return participant ? [{ participant, callParticipant }] : []
  })
  if (everyone.isSearched) return paged
  return [
    ...known.filter(({ callParticipant }) => callParticipant),
    ...paged.filter(({ participant }) => !callParticipants.has(participant.identity)),
  ]
}

export const People = () => {
  const { t } = useTranslation()
  const { isModerator, isLarge } = useLive()
  const { muteAll, lowerAllHands } = useModeration()
  const everyone = useEveryone(isLarge && isModerator)
  const people = usePeople(everyone)
  const { pages, search, setSearch } = everyone
  return (
    <>
      {isLarge && !isModerator && <p className={classes.note}>{t('people.some')}</p>}
      {isLarge && isModerator && (
        <TextInput
          type="search"
          className={classes.search}
          aria-label={t('people.search')}
          placeholder={t('people.search')}
          maxLength={100}
          value={search}
          onChange={event => setSearch(event.currentTarget.value)}
        />
      )}
      {people.length === 0 && <p className={classes.note}>{t('people.notFound')}</p>}
      <ul className={classes.people}>
        {people.map(person => (
          <Person key={person.participant.identity} {...person} />
        ))}
        {isLarge && pages.hasNextPage && (
          <li>
            <ShowMore pages={pages} />
          </li>
        )}
      </ul>
      {isModerator && (
        <div className={classes.foot}>
          {people.some(({ callParticipant }) => callParticipant?.handRaisedAt) && (
            <Button
              variant="default"
              fullWidth
              mb="xs"
              leftSection={<IconHandOff size={18} aria-hidden />}
              onClick={() => lowerAllHands()}
            >
              {t('people.lowerAllHands')}
            </Button>
          )}
          <Button
            variant="default"
            fullWidth
            leftSection={<IconMicrophoneOff size={18} aria-hidden />}
            onClick={() => muteAll()}
          >
            {t('people.muteAll')}
          </Button>
        </div>
      )}
    </>
  )
}
