import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useLinkGuests } from '../data/links.ts'
import type { Room } from '../data/rooms.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'

interface LinkGuestsDialogProps {
  room: Room
  linkId: string
  opened: boolean
  onClose: () => void
}

/** Who used the link, and when. */
export const LinkGuestsDialog = ({ room, linkId, ...dialog }: LinkGuestsDialogProps) => {
  const { t } = useTranslation()
  return (
    <Dialog title={t('links.guests')} {...dialog}>
      <GuestList room={room} linkId={linkId} />
    </Dialog>
  )
}

const GuestList = ({ room, linkId }: Pick<LinkGuestsDialogProps, 'room' | 'linkId'>) => {
  const { t } = useTranslation()
  return (
    <PagedRecords
      label={t('links.guests')}
      pages={useLinkGuests(room, linkId)}
      idOf={guest => guest.id}
      // A link that was used before this was written down.
      empty={<Text size="sm">{t('links.guests.unknown')}</Text>}
      columns={[
        { head: t('person'), isName: true, cell: guest => guest.name },
        { head: t('links.usedAt'), cell: guest => <RelativeTime time={guest.usedAt} /> },
      ]}
    />
  )
}
