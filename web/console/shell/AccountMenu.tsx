import { Menu, Text, UnstyledButton } from '@mantine/core'
import { IconChevronUp, IconCode, IconKey, IconLogout, IconTerminal2, IconUserCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { signOut, useMe } from '../data/session.ts'
import { tellProblem } from '../ui/notify.ts'
import classes from './Navigation.module.css'

export const AccountMenu = () => {
  const { t } = useTranslation()
  const me = useMe()
  return (
    <Menu position="top-start" width={224} shadow="md" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton className={classes.account} aria-label={t('nav.accountMenu', { name: me.displayName })}>
          <IconUserCircle size={22} stroke={1.5} aria-hidden />
          <Text size="sm" truncate flex={1}>
            {me.displayName}
          </Text>
          <IconChevronUp size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={16} />}>
          {t('nav.account')}
        </Menu.Item>
        <Menu.Item component={Link} to="/tokens" leftSection={<IconTerminal2 size={16} />}>
          {t('nav.tokens')}
        </Menu.Item>
        <Menu.Item component={Link} to="/clients" leftSection={<IconKey size={16} />}>
          {t('nav.clients')}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<IconCode size={16} />}>
          {t('nav.docs')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut().catch(tellProblem)}>
          {t('nav.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
