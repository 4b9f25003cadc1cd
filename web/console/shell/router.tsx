import type { ComponentType } from 'react'
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router'
import { ErrorPage } from './ErrorPage.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'
import { PageError } from './PageError.tsx'
import { Shell, ShellSkeleton } from './Shell.tsx'
import { SignInPage } from './SignInPage.tsx'
import { SpaceLayout } from './SpaceLayout.tsx'
import { whyNotLoaded } from './unreachable.ts'

/** A page that is fetched when it is first opened. */
const page =
  <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  async () => ({ Component: (await load().catch(whyNotLoaded))[name] })

const call = page(() => import('../calls/CallPage.tsx'), 'CallPage')

const inRoom: RouteObject[] = [
  { index: true, lazy: page(() => import('../rooms/RoomOverview.tsx'), 'RoomOverview') },
  { path: 'people', lazy: page(() => import('../rooms/RoomPeople.tsx'), 'RoomPeople') },
  { path: 'permissions', lazy: page(() => import('../rooms/RoomPermissions.tsx'), 'RoomPermissions') },
  { path: 'calls', lazy: page(() => import('../rooms/RoomCalls.tsx'), 'RoomCalls') },
  { path: 'recordings', lazy: page(() => import('../rooms/RoomRecordings.tsx'), 'RoomRecordings') },
]

const inSpace: RouteObject[] = [
  { index: true, lazy: page(() => import('../rooms/RoomsPage.tsx'), 'RoomsPage') },
  { path: 'rooms/:roomId', lazy: page(() => import('../rooms/RoomPage.tsx'), 'RoomPage'), children: inRoom },
  { path: 'rooms/:roomId/calls/:callId', lazy: call },
  { path: 'people', lazy: page(() => import('../people/PeoplePage.tsx'), 'PeoplePage') },
  { path: 'calls', lazy: page(() => import('../calls/CallsPage.tsx'), 'CallsPage') },
  { path: 'calls/:callId', lazy: call },
  { path: 'webhook', lazy: page(() => import('../webhook/WebhookPage.tsx'), 'WebhookPage') },
  {
    path: 'webhook/deliveries/:deliveryId',
    lazy: page(() => import('../webhook/DeliveryPage.tsx'), 'DeliveryPage'),
  },
  { path: 'audit', lazy: page(() => import('../audit/AuditPage.tsx'), 'AuditPage') },
  { path: 'settings', lazy: page(() => import('../spaces/SpaceSettingsPage.tsx'), 'SpaceSettingsPage') },
  { path: '*', Component: NotFoundPage },
]

const signedIn: RouteObject[] = [
  { index: true, element: <Navigate to="/spaces" replace /> },
  { path: 'spaces', lazy: page(() => import('../spaces/SpacesPage.tsx'), 'SpacesPage') },
  { path: 'spaces/:spaceId', Component: SpaceLayout, children: inSpace },
  { path: 'account', lazy: page(() => import('../account/AccountPage.tsx'), 'AccountPage') },
  { path: 'tokens', lazy: page(() => import('../account/TokensPage.tsx'), 'TokensPage') },
  { path: 'clients', lazy: page(() => import('../account/ClientsPage.tsx'), 'ClientsPage') },
  { path: 'operator/users', lazy: page(() => import('../operator/UsersPage.tsx'), 'UsersPage') },
  { path: 'operator/spaces', lazy: page(() => import('../operator/AllSpacesPage.tsx'), 'AllSpacesPage') },
  { path: 'operator/audit', lazy: page(() => import('../operator/AllAuditPage.tsx'), 'AllAuditPage') },
  { path: 'operator/state', lazy: page(() => import('../operator/StatePage.tsx'), 'StatePage') },
  { path: '*', Component: NotFoundPage },
]

export const createRouter = () =>
  createBrowserRouter([
    {
      ErrorBoundary: ErrorPage,
      HydrateFallback: ShellSkeleton,
      children: [
        { path: '/sign-in', Component: SignInPage },
        { path: '/invite', lazy: page(() => import('../people/InvitePage.tsx'), 'InvitePage') },
        { path: '/', Component: Shell, children: [{ ErrorBoundary: PageError, children: signedIn }] },
      ],
    },
  ])
