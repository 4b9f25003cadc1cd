import { AppShell, Avatar, Box, Button, Group, Kbd, NavLink, ScrollArea, Stack, Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import {
  IconBuildingCommunity,
  IconDoor,
  IconHeartbeat,
  IconHistory,
  IconListDetails,
  IconSearch,
  IconSettings,
  IconStack2,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useMatch } from 'react-router'
import { Logo } from '../../ui/Logo.tsx'
import { Preferences } from '../../ui/Preferences.tsx'
import { useMe } from '../data/session.ts'
import { useSpace } from '../data/spaces.ts'
import { managesSpace, ownsSpace } from '../may.ts'
import { AccountMenu } from './AccountMenu.tsx'
import classes from './Navigation.module.css'

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

interface EntryProps {
  to: string
  label: string
  icon: Icon
  /** What also belongs to it, by the start of its path. */
  within?: string
}

const Entry = ({ to, label, icon: Icon, within = `${to}/` }: EntryProps) => {
  const { pathname } = useLocation()
  const isHere = pathname === to || pathname.startsWith(within)
  return (
    <NavLink
      component={Link}
      to={to}
      label={label}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      className={classes.entry}
    />
  )
}

const Heading = ({ children, logo }: { children: string; logo?: string | null }) => (
  <Group gap="xs" wrap="nowrap" px="sm" pt="md" pb={4}>
    {logo != null && <Avatar src={logo} alt="" size={20} radius="sm" />}
    <Text size="xs" fw={600} c="dimmed" truncate>
      {children}
    </Text>
  </Group>
)

const SpaceNavigation = ({ spaceId }: { spaceId: string }) => {
  const { t } = useTranslation()
  const { data: space } = useSpace(spaceId)
  if (!space) return null
  const base = `/spaces/${spaceId}`
  return (
    <>
      <Heading logo={space.logo}>{space.name}</Heading>
      <Entry to={base} label={t('nav.rooms')} icon={IconDoor} within={`${base}/rooms/`} />
      {managesSpace(space) && (
        <>
          <Entry to={`${base}/people`} label={t('nav.people')} icon={IconUsers} />
          <Entry to={`${base}/calls`} label={t('nav.calls')} icon={IconHistory} />
        </>
      )}
      {ownsSpace(space) && (
        <>
          <Entry to={`${base}/webhook`} label={t('nav.webhook')} icon={IconWebhook} />
          <Entry to={`${base}/audit`} label={t('nav.audit')} icon={IconListDetails} />
        </>
      )}
      <Entry to={`${base}/settings`} label={t('nav.settings')} icon={IconSettings} />
    </>
  )
}

/** Where one can go: the spaces, this space, the installation for its operator, and one's own account. */
export const Navigation = ({ onSearch }: { onSearch: () => void }) => {
  const { t } = useTranslation()
  const { isOperator } = useMe()
  const spaceId = useMatch('/spaces/:spaceId/*')?.params.spaceId
  return (
    <>
      <Box visibleFrom="sm" px="sm" py="xs">
        <Link to="/spaces" className={classes.home}>
          <Logo size={22} />
        </Link>
      </Box>
      <Button
        visibleFrom="sm"
        variant="default"
        size="xs"
        styles={{ label: { flexGrow: 1 } }}
        fw={400}
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={<Kbd size="xs">{isApple ? '⌘K' : 'Ctrl K'}</Kbd>}
        onClick={onSearch}
      >
        {t('jump.title')}
      </Button>
      <AppShell.Section grow component={ScrollArea}>
        <Stack component="nav" gap={2} aria-label={t('nav.label')} pt="xs">
          <Entry to="/spaces" label={t('nav.spaces')} icon={IconStack2} within="/spaces?" />
          {spaceId && <SpaceNavigation spaceId={spaceId} />}
          {isOperator && (
            <>
              <Heading>{t('nav.operator')}</Heading>
              <Entry to="/operator/users" label={t('nav.users')} icon={IconUsersGroup} />
              <Entry to="/operator/spaces" label={t('nav.allSpaces')} icon={IconBuildingCommunity} />
              <Entry to="/operator/audit" label={t('nav.audit')} icon={IconListDetails} />
              <Entry to="/operator/state" label={t('nav.state')} icon={IconHeartbeat} />
            </>
          )}
        </Stack>
      </AppShell.Section>
      <AppShell.Section>
        <Stack gap="sm">
          <Preferences />
          <AccountMenu />
        </Stack>
      </AppShell.Section>
    </>
  )
}
