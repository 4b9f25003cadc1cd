import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import { Dialog } from './Dialog.tsx'
import type { Removing } from './dialogs.ts'
import { useMayChangeRoom } from './host/roomChange.ts'
import { useModeration } from './moderation.ts'

/** Asks before somebody is removed. Who came by a link for many could return under another name: what helps is offered. */
export const Remove = ({ person, onClose }: { person: Removing | null; onClose: () => void }) => {
  const { t } = useTranslation()
  return (
    <Dialog
      opened={person !== null}
      onClose={onClose}
      title={person && t('people.remove.title', { name: person.name })}
    >
      {person && <Question person={person} onClose={onClose} />}
    </Dialog>
  )
}

const useLinkOf = ({ participantId }: Removing) => {
  const { client, access } = useLive().joinedCall
  const { spaceId, roomId } = access
  return useQuery({
    queryKey: ['linkOf', participantId],
    gcTime: 0,
    queryFn: () => client.getParticipantLink({ spaceId, roomId, participantId }),
  }).data
}

const Question = ({ person, onClose }: { person: Removing; onClose: () => void }) => {
  const { t } = useTranslation()
  const { room } = useLive()
  const { remove, endLink, turnOnWaitingRoom } = useModeration()
  const link = useLinkOf(person)
  const [isLinkToEnd, setLinkToEnd] = useState(false)
  const [isRoomToWait, setRoomToWait] = useState(false)
  const mayChange = useMayChangeRoom()
  const couldReturn = link?.isForMany ?? false
  const onYes = async () => {
    onClose()
    // First, so that there is no moment to come back in.
    if (isRoomToWait) await turnOnWaitingRoom()
    await remove(person.participantId)
    if (isLinkToEnd && link?.linkId) await endLink(link.linkId)
  }
  return (
    <Stack>
      <Text>
        {t(couldReturn ? 'people.remove.textOfMany' : 'people.remove.text')}
        {person.role === 'moderator' && ` ${t('remove.links')}`}
      </Text>
      {couldReturn && mayChange && (
        <Stack gap="sm">
          {room?.waitingRoomAudience === 'nobody' && (
            <Switch
              label={t('remove.turnOnWaitingRoom')}
              description={t('remove.turnOnWaitingRoom.text')}
              checked={isRoomToWait}
              onChange={event => setRoomToWait(event.currentTarget.checked)}
            />
          )}
          <Switch
            label={t('remove.endLink')}
            description={t('remove.endLink.text')}
            checked={isLinkToEnd}
            onChange={event => setLinkToEnd(event.currentTarget.checked)}
          />
        </Stack>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('cancel')}
        </Button>
        <Button color="red.8" onClick={() => void onYes()}>
          {t('people.remove.action')}
        </Button>
      </Group>
    </Stack>
  )
}
