import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useFocusRescue } from '../../ui/focus.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { liftBan, useBans } from '../data/bans.ts'
import type { Room } from '../data/rooms.ts'
import { tell, tellProblem } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'

/** The people removed from the room. Most rooms have none, and show nothing. */
export const RoomBans = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const bans = useBans(room)
  if (bans.isPending || bans.data?.length === 0) return null
  return (
    <Section title={t('bans.title')} description={t('bans.text')}>
      <PagedRecords
        label={t('bans.title')}
        pages={bans}
        idOf={ban => ban.id}
        empty={null}
        columns={[
          { head: t('person'), isName: true, cell: ban => ban.name },
          { head: t('bans.since'), cell: ban => <RelativeTime time={ban.createdAt} /> },
          { head: t('actions'), isActions: true, cell: ban => <LiftBan room={room} ban={ban} /> },
        ]}
      />
    </Section>
  )
}

const LiftBan = ({ room, ban }: { room: Room; ban: { id: string; name: string } }) => {
  const { t } = useTranslation()
  const rescueFocus = useFocusRescue()
  const { mutate, isPending } = useMutation({
    mutationFn: () => liftBan(room, ban.id),
    onSuccess: () => {
      tell(t('bans.lift.done', { name: ban.name }))
      rescueFocus()
    },
    onError: tellProblem,
  })
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      loading={isPending}
      aria-label={t('bans.lift.named', { name: ban.name })}
      onClick={() => mutate()}
    >
      {t('bans.lift')}
    </Button>
  )
}
