import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { liftBar, useBars } from '../data/bars.ts'
import type { Room } from '../data/rooms.ts'
import { tell, tellProblem } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'

/** Who has been removed from the room. Nobody, in most rooms, and then nothing is said of it. */
export const RoomBars = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const bars = useBars(room)
  if (bars.isPending || bars.data?.length === 0) return null
  return (
    <Section title={t('bars.title')} description={t('bars.text')}>
      <PagedRecords
        label={t('bars.title')}
        pages={bars}
        idOf={bar => bar.id}
        empty={null}
        columns={[
          { head: t('person'), isName: true, cell: bar => bar.name },
          { head: t('bars.since'), cell: bar => <RelativeTime time={bar.createdAt} /> },
          { head: t('actions'), isActions: true, cell: bar => <LetBackIn room={room} bar={bar} /> },
        ]}
      />
    </Section>
  )
}

const LetBackIn = ({ room, bar }: { room: Room; bar: { id: string; name: string } }) => {
  const { t } = useTranslation()
  const { mutate, isPending } = useMutation({
    mutationFn: () => liftBar(room, bar.id),
    onSuccess: () => tell(t('bars.lift.done', { name: bar.name })),
    onError: tellProblem,
  })
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      loading={isPending}
      aria-label={t('bars.lift.named', { name: bar.name })}
      onClick={() => mutate()}
    >
      {t('bars.lift')}
    </Button>
  )
}
