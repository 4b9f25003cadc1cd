import { ActionIcon, AppShell, Box, Burger, Center, Group, Loader } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Navigate, Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router'
import { Logo } from '../../ui/Logo.tsx'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { useSession } from '../data/session.ts'
import { Navigation } from './Navigation.tsx'
import { signInPath } from './next.ts'
import classes from './Shell.module.css'
import { StandalonePage } from './StandalonePage.tsx'

const JumpDialog = lazy(async () => ({ default: (await import('./JumpDialog.tsx')).JumpDialog }))

/** While it is being found out who is here. */
export const ShellSkeleton = () => (
  <Center h="100dvh">
    <Loader type="dots" />
  </Center>
)

/** Around everything that needs a session. */
export const Shell = () => {
  const { t } = useTranslation()
  const session = useSession()
  const location = useLocation()
  if (session.data) return <Frame />
  if (session.data === null) return <Navigate to={signInPath(location)} replace />
  if (session.isPending) return <ShellSkeleton />
  return (
    <StandalonePage title={t('failed.title')}>
      <ProblemNotice error={session.error} onRetry={() => session.refetch()} />
    </StandalonePage>
  )
}

const Frame = () => {
  const { t } = useTranslation()
  const [opened, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  const isLoading = useNavigation().state === 'loading'
  const [isJumping, jump] = useDisclosure()
  const [hasJumped, setHasJumped] = useState(false)
  const openJump = () => {
    setHasJumped(true)
    jump.open()
  }
  // Wherever the focus is: nothing else has these keys.
  useHotkeys([['mod+K', openJump]], [], true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer is left behind with the page it was opened on
  useEffect(close, [pathname])
  return (
    <AppShell
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <button type="button" className={classes.skip} onClick={() => document.getElementById('main')?.focus()}>
        {t('skipToContent')}
      </button>
      <AppShell.Header hiddenFrom="sm" px="md">
        <Group h="100%" gap="sm">
          <Burger opened={opened} onClick={toggle} size="sm" aria-label={t('menu')} aria-expanded={opened} />
          <Link to="/spaces" className={classes.home}>
            <Logo size={22} />
          </Link>
          <ActionIcon ml="auto" variant="subtle" color="gray" size="lg" aria-label={t('jump.title')} onClick={openJump}>
            <IconSearch size={20} aria-hidden />
          </ActionIcon>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className={classes.navbar}>
        <Navigation onSearch={openJump} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main} aria-busy={isLoading}>
        <Box maw={880} mx="auto" py={{ base: 0, sm: 'lg' }} px={{ base: 0, sm: 'md' }}>
          <Outlet />
        </Box>
      </AppShell.Main>
      {hasJumped && (
        <Suspense fallback={null}>
          <JumpDialog opened={isJumping} onClose={jump.close} />
        </Suspense>
      )}
      <ScrollRestoration />
    </AppShell>
  )
}
