import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLink } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestLink } from '../../ui/guestLinks.ts'
import { revokeLink, urlOfLink } from '../data/links.ts'
import type { Room } from '../data/rooms.ts'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { LinkToSend } from '../ui/LinkToSend.tsx'
import { tell, tellProblem } from '../ui/notify.ts'
import { LinkGuestsDialog } from './LinkGuestsDialog.tsx'

interface LinkActionsProps {
  room: Room
  link: GuestLink
  /** What the link is called in the list, for screen readers. */
  name: string
}

export const LinkActions = ({ room, link, name }: LinkActionsProps) => {
  const { t } = useTranslation()
  return (
    <>
      {link.isCopyable && <CopyAgain room={room} link={link} name={name} />}
      {link.usedAt !== null && <Guests room={room} link={link} name={name} />}
      {/* Revoking a used one disconnects the guest who joined with it. */}
      {link.revokedAt === null && (
        <ConfirmButton
          label={t('revoke')}
          ariaLabel={t('links.revoke.named', { name })}
          title={t('links.revoke.title')}
          text={t('links.revoke.text')}
          confirmLabel={t('revoke')}
          onConfirm={() => revokeLink(room, link.id)}
        />
      )}
    </>
  )
}

/** Where the browser doesn't let the page copy, the link is shown to be copied by hand. */
const CopyAgain = ({ room, link, name }: LinkActionsProps) => {
  const { t } = useTranslation()
  const [shownUrl, setShownUrl] = useState<string | null>(null)
  const [opened, { open, close }] = useDisclosure()
  const { mutate, isPending } = useMutation({
    mutationFn: () => urlOfLink(room, link.id),
    onSuccess: async url => {
      try {
        await navigator.clipboard.writeText(url)
        tell(t('links.copied'))
      } catch {
        setShownUrl(url)
        open()
      }
    },
    onError: tellProblem,
  })
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={() => mutate()}
        loading={isPending}
        leftSection={<IconLink size={14} aria-hidden />}
        aria-label={t('links.copy.named', { name })}
      >
        {t('copyLink')}
      </Button>
      <Dialog opened={opened} onClose={close} onExitTransitionEnd={() => setShownUrl(null)} title={t('links.link')}>
        {shownUrl && (
          <LinkToSend label={t('links.link')} url={shownUrl} text={t('links.ready.text')} isOfRoom onClose={close} />
        )}
      </Dialog>
    </>
  )
}

const Guests = ({ room, link, name }: LinkActionsProps) => {
  const { t } = useTranslation()
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="compact-xs" variant="subtle" onClick={open} aria-label={t('links.guests.named', { name })}>
        {t('links.guests')}
      </Button>
      <LinkGuestsDialog room={room} linkId={link.id} opened={opened} onClose={close} />
    </>
  )
}
