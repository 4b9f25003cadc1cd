import { Button, Skeleton } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../../ui/ProblemNotice.tsx'
import { useInvite } from '../invite.ts'
import panelClasses from '../panel.module.css'
import { ShowMore } from '../ShowMore.tsx'
import { Link } from './Link.tsx'
import { useOpenLinks } from './links.ts'
import { Section } from './Section.tsx'

/** Nothing for whoever may not make links. */
export const Links = () => {
  const { t } = useTranslation()
  const invite = useInvite()
  if (!invite) return null
  return (
    <Section title={t('host.links')}>
      <Button variant="default" leftSection={<IconLink size={18} aria-hidden />} onClick={invite}>
        {t('host.newLink')}
      </Button>
      <OpenLinks />
    </Section>
  )
}

const OpenLinks = () => {
  const { t } = useTranslation()
  const links = useOpenLinks()
  if (links.isPending) return <Skeleton h={20} w="60%" aria-hidden />
  if (!links.data) return <ProblemNotice error={links.error} onRetry={() => void links.refetch()} />
  if (links.data.length === 0) return null
  return (
    <ul className={panelClasses.people} aria-label={t('host.links')}>
      {links.data.map(link => (
        <Link key={link.id} link={link} />
      ))}
      {links.hasNextPage && (
        <li>
          <ShowMore pages={links} />
        </li>
      )}
    </ul>
  )
}
