import { Button, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { codeOf } from '../../ui/api.ts'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { activateInvite, type InviteReference, inspectInvite } from '../data/invites.ts'
import { type Me, signOut, useSession } from '../data/session.ts'
import { ShellSkeleton } from '../shell/Shell.tsx'
import { SignInForm } from '../shell/SignInPage.tsx'
import { StandalonePage } from '../shell/StandalonePage.tsx'
import { tellProblem } from '../ui/notify.ts'
import { useTitle } from '../ui/title.ts'
import { forgetInvite, takeInvite } from './invite.ts'
import { RegisterForm } from './RegisterForm.tsx'

/** Where an invite leads: in with an account, or to one, and on into the space. */
export const InvitePage = () => {
  const { t } = useTranslation()
  useTitle(t('invite.title'))
  const [invite] = useState(takeInvite)
  const session = useSession()
  // Asked once, before anything is asked of the person: whoever signs in here has used it a moment later.
  const { mutate: look, ...found } = useMutation({ mutationFn: inspectInvite })
  useEffect(() => {
    if (invite) look(invite)
  }, [invite, look])
  const navigate = useNavigate()
  const [isEntering, setIsEntering] = useState(false)
  const enter = async ({ spaceId }: InviteReference) => {
    setIsEntering(true)
    forgetInvite()
    await navigate(`/spaces/${spaceId}`, { replace: true })
  }
  const join = useMutation({ mutationFn: activateInvite, onSuccess: (_, used) => enter(used) })

  if (!invite) return <NoInvite />
  if (found.error) return <Unusable error={found.error} onRetry={() => look(invite)} />
  if (session.isPending || !found.data || isEntering) return <ShellSkeleton />
  const { spaceName: space } = found.data
  if (session.data)
    return (
      <StandalonePage title={t('invite.title')} text={t('invite.text', { space })}>
        <JoinAs me={session.data} isJoining={join.isPending} error={join.error} onJoin={() => join.mutate(invite)} />
      </StandalonePage>
    )
  return (
    <StandalonePage title={t('invite.title')} text={t('invite.textStranger', { space })}>
      <Entrance invite={invite} onRegistered={() => enter(invite)} onSignedIn={() => join.mutate(invite)} />
    </StandalonePage>
  )
}

const NoInvite = () => {
  const { t } = useTranslation()
  return (
    <StandalonePage title={t('invite.title')} text={t('invite.none')}>
      <ToSpaces />
    </StandalonePage>
  )
}

/** Used, revoked or none of ours: nothing is asked of whoever holds it. */
const Unusable = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => {
  const { t } = useTranslation()
  const code = codeOf(error)
  const title = code === 'invite_used' || code === 'invite_revoked' ? t(`${code}.title`) : t('invite.title')
  const text = code === 'not_found' ? t('invite.unknown') : undefined
  return (
    <StandalonePage title={title}>
      <ProblemNotice error={error} onRetry={onRetry} {...(text && { text })} />
      <ToSpaces />
    </StandalonePage>
  )
}

const ToSpaces = () => {
  const { t } = useTranslation()
  return (
    <Button component={Link} to="/spaces" variant="default">
      {t('notFound.action')}
    </Button>
  )
}

/** Nobody enters with it any more, whichever account they use. */
const isSpent = (error: unknown) => ['invite_used', 'invite_revoked', 'not_found'].includes(codeOf(error) ?? '')

interface JoinAsProps {
  me: Me
  isJoining: boolean
  error: unknown
  onJoin: () => void
}

const JoinAs = ({ me, isJoining, error, onJoin }: JoinAsProps) => {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <Text size="sm">{t('invite.as', { name: me.displayName })}</Text>
      {error ? (
        <ProblemNotice error={error} {...(codeOf(error) === 'not_found' && { text: t('invite.unknown') })} />
      ) : null}
      {isSpent(error) ? (
        <ToSpaces />
      ) : (
        <>
          <Button onClick={onJoin} loading={isJoining}>
            {t('invite.join')}
          </Button>
          <Button variant="default" onClick={() => signOut().catch(tellProblem)} disabled={isJoining}>
            {t('invite.other')}
          </Button>
        </>
      )}
    </Stack>
  )
}

interface EntranceProps {
  invite: InviteReference
  onRegistered: () => Promise<void>
  onSignedIn: () => void
}

const Entrance = ({ invite, onRegistered, onSignedIn }: EntranceProps) => {
  const { t } = useTranslation()
  const [has, setHas] = useState<'none' | 'account'>('none')
  return (
    <>
      <SegmentedControl
        fullWidth
        aria-label={t('invite.account')}
        value={has}
        onChange={value => setHas(value as typeof has)}
        data={[
          { value: 'none', label: t('invite.new') },
          { value: 'account', label: t('invite.existing') },
        ]}
      />
      {has === 'none' ? (
        <RegisterForm invite={invite} onRegistered={onRegistered} />
      ) : (
        <SignInForm submitLabel={t('invite.signIn')} onSignedIn={onSignedIn} />
      )}
    </>
  )
}
