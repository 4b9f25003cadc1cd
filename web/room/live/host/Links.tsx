import { Button } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useInvite } from '../invite.ts'
import { Section } from './Section.tsx'

export const Links = () => {
  const { t } = useTranslation()
  const invite = useInvite()
  if (!invite) return null
  return (
    <Section title={t('host.links')}>
      <Button variant="default" leftSection={<IconLink size={18} aria-hidden />} onClick={invite}>
        {t('host.newLink')}
      </Button>
    </Section>
  )
}
