import { Skeleton, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type GuestLink, nameOfLink } from '../../../ui/guestLinks.ts'
import { ProblemNotice } from '../../../ui/ProblemNotice.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Dialog } from '../Dialog.tsx'
import { ShowMore } from '../ShowMore.tsx'
import classes from './host.module.css'
import { useLinkGuests } from './links.ts'

/** Who used the link, and when. */
export const LinkGuests = ({ link, onClose }: { link: GuestLink | null; onClose: () => void }) => {
  const { t } = useTranslation()
  return (
    <Dialog
      opened={link !== null}
      onClose={onClose}
      title={link && t('links.guests.named', { name: nameOfLink(link, t) })}
    >
      {link && <Guests linkId={link.id} />}
    </Dialog>
  )
}

const Guests = ({ linkId }: { linkId: string }) => {
  const { t } = useTranslation()
  const guests = useLinkGuests(linkId)
  if (guests.isPending) return <Skeleton h={20} w="60%" aria-hidden />
  if (!guests.data) return <ProblemNotice error={guests.error} onRetry={() => void guests.refetch()} />
  // A link that was used before this was written down.
  if (guests.data.length === 0) return <Text size="sm">{t('links.guests.unknown')}</Text>
  return (
    <>
      <ul className={classes.guests}>
        {guests.data.map(({ id, name, usedAt }) => (
          <li key={id} className={classes.guest}>
            <span>{name}</span>
            <RelativeTime time={usedAt} />
          </li>
        ))}
      </ul>
      <ShowMore pages={guests} />
    </>
  )
}
