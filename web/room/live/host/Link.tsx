import { ActionIcon, Menu } from '@mantine/core'
import { IconCheck, IconCopy, IconLinkOff, IconUsers } from '@tabler/icons-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../../ui/CopyField.tsx'
import { useFocusRescueOf } from '../../../ui/focus.ts'
import { type GuestLink, nameOfLink, personOfLink, whyInactive } from '../../../ui/guestLinks.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { ActionsMenu } from '../ActionsMenu.tsx'
import { useLive } from '../context.ts'
import { useModeration } from '../moderation.ts'
import panelClasses from '../panel.module.css'
import classes from './host.module.css'
import { useCopiedLink } from './links.ts'

/** A link that can be used, and what can be done with it. */
export const Link = ({ link }: { link: GuestLink }) => {
  const { t } = useTranslation()
  const line = useRef<HTMLLIElement>(null)
  useFocusRescueOf(line)
  const { copy, isCopied, isPending, url } = useCopiedLink(link.id)
  const name = nameOfLink(link, t)
  return (
    <li ref={line}>
      <div className={classes.link}>
        <span className={panelClasses.who}>
          <span className={panelClasses.name}>{name}</span>
          <Facts link={link} />
        </span>
        {link.isCopyable && (
          <ActionIcon
            variant="subtle"
            color={isCopied ? 'teal' : 'gray'}
            loading={isPending}
            aria-label={isCopied ? t('copied') : t('links.copy.named', { name })}
            onClick={copy}
          >
            {isCopied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
          </ActionIcon>
        )}
        <LinkMenu link={link} name={name} />
      </div>
      {url !== null && <CopyField label={t('links.link')} value={url} />}
    </li>
  )
}

const Facts = ({ link }: { link: GuestLink }) => {
  const { t } = useTranslation()
  const { label, role, isPermanent, isActive, isUsable, isCopyable, usedAt, expiresAt } = link
  return (
    <>
      {label !== null && <span className={panelClasses.role}>{personOfLink(link, t)}</span>}
      <span className={panelClasses.role}>
        {t(`guestRole.${role}`)} · {t(isPermanent ? 'invite.many' : 'invite.once')}
      </span>
      <span className={panelClasses.role}>
        {t('links.expires')} <RelativeTime time={expiresAt} />
      </span>
      {usedAt !== null && (
        <span className={panelClasses.role}>
          {t('links.firstUsed')} <RelativeTime time={usedAt} />
        </span>
      )}
      {!isActive && <span className={panelClasses.role}>{whyInactive(link, t)}</span>}
      {isUsable && !isCopyable && <span className={panelClasses.role}>{t('links.notKept')}</span>}
    </>
  )
}

const LinkMenu = ({ link, name }: { link: GuestLink; name: string }) => {
  const { t } = useTranslation()
  const { dialogs } = useLive()
  const { endLink } = useModeration()
  const askToEnd = () =>
    dialogs.ask({
      title: t('links.revoke.title'),
      text: t('links.revoke.text'),
      action: t('revoke'),
      onYes: () => void endLink(link.id),
    })
  return (
    <ActionsMenu label={t('host.link.actions', { name })}>
      {link.usedAt !== null && (
        <Menu.Item leftSection={<IconUsers size={18} />} onClick={() => dialogs.showGuestsOf(link)}>
          {t('links.guests')}
        </Menu.Item>
      )}
      <Menu.Item c="red.4" leftSection={<IconLinkOff size={18} />} onClick={askToEnd}>
        {t('revoke')}
      </Menu.Item>
    </ActionsMenu>
  )
}
