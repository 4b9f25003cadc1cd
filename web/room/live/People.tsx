import { useIsMuted, useParticipants } from '@livekit/components-react'
import { Button } from '@mantine/core'
import { IconHandStop, IconMicrophone, IconMicrophoneOff, IconVideo, IconVideoOff } from '@tabler/icons-react'
import { type Participant, RoomEvent, Track } from 'livekit-client'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFocusRescueOf } from '../../ui/focus.ts'
import { initials } from '../names.ts'
import type { CallParticipant } from './call.ts'
import { useLive } from './context.ts'
import { useModeration } from './moderation.ts'
import { PersonMenu, type PersonProps } from './PersonMenu.tsx'
import classes from './panel.module.css'

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
      {isModerator && !participant.isLocal && (
        <PersonMenu participant={participant} callParticipant={callParticipant} />
      )}
    </li>
  )
}

/** Hands first, in the order they went up; then moderators; then by name. */
const byPlace =
  (callParticipants: Map<string, CallParticipant>) =>
  (a: Participant, b: Participant): number => {
    const [one, other] = [callParticipants.get(a.identity), callParticipants.get(b.identity)]
    const hands = (one?.handRaisedAt ?? '~').localeCompare(other?.handRaisedAt ?? '~', 'en')
    const roles = Number(other?.role === 'moderator') - Number(one?.role === 'moderator')
    return hands || roles || (a.name ?? '').localeCompare(b.name ?? '')
  }

export const People = () => {
  const { t } = useTranslation()
  const { callParticipants, isModerator } = useLive()
  const { muteAll } = useModeration()
  const participants = useParticipants({
    updateOnlyOn: [
      RoomEvent.ParticipantPermissionsChanged,
      RoomEvent.TrackMuted,
      RoomEvent.TrackUnmuted,
      RoomEvent.TrackPublished,
      RoomEvent.TrackUnpublished,
    ],
  })
  return (
    <>
      <ul className={classes.people}>
        {[...participants].sort(byPlace(callParticipants)).map(participant => (
          <Person
            key={participant.identity}
            participant={participant}
            callParticipant={callParticipants.get(participant.identity)}
          />
        ))}
      </ul>
      {isModerator && (
        <div className={classes.foot}>
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
