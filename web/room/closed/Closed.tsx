import { Button, Group, Stack, Text, Title } from '@mantine/core'
import {
  IconClockOff,
  IconDoorOff,
  IconHourglass,
  IconLinkOff,
  IconLock,
  IconPlugConnectedX,
  IconRefresh,
  IconUserOff,
  IconWorldX,
} from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../ui/api.ts'
import { explain } from '../../ui/problem.ts'
import { isFramed } from '../embed.ts'
import { useFocusedHeading } from '../focusHeading.ts'
import { Page } from '../Page.tsx'
import classes from '../page.module.css'
import { isTransient, type Reason, type Refusal } from './reasons.ts'

interface Look {
  icon: typeof IconLock
  /** What may help. Nothing does where a link, the access or the room itself is gone. */
  action?: 'signIn' | 'switchAccount' | 'join' | 'tryAgain' | 'reload'
}

/** What is shown for each reason; its words are `closed.<reason>.title` and `.text`. */
const looks: Record<Reason, Look> = {
  link_used: { icon: IconLinkOff },
  link_expired: { icon: IconClockOff },
  link_revoked: { icon: IconLinkOff },
  link_unknown: { icon: IconLinkOff },
  access_ended: { icon: IconClockOff },
  sign_in: { icon: IconLock, action: 'signIn' },
  private: { icon: IconLock, action: 'signIn' },
  no_access: { icon: IconLock, action: 'switchAccount' },
  removed: { icon: IconUserOff },
  denied: { icon: IconUserOff, action: 'tryAgain' },
  not_admitted: { icon: IconLock, action: 'join' },
  room_locked: { icon: IconLock, action: 'tryAgain' },
  room_gone: { icon: IconDoorOff },
  media_starting: { icon: IconHourglass, action: 'tryAgain' },
  media_off: { icon: IconPlugConnectedX, action: 'tryAgain' },
  busy: { icon: IconHourglass, action: 'tryAgain' },
  unreachable: { icon: IconPlugConnectedX, action: 'tryAgain' },
  unsupported: { icon: IconWorldX },
  outdated: { icon: IconRefresh, action: 'reload' },
}

const RETRY_MS = 5000

const signInPath = () => `/sign-in?next=${encodeURIComponent(location.pathname)}`

/** The sign-in sends back whoever is signed in, so that ends first. */
const SwitchAccount = () => {
  const { t } = useTranslation()
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => api.deleteSession(),
    onSuccess: () => void window.open(signInPath(), isFramed() ? '_blank' : '_self'),
  })
  return (
    <Stack align="center" gap="xs">
      <Button loading={isPending} onClick={() => mutate()}>
        {t('closed.switchAccount')}
      </Button>
      {error && <Text role="alert">{explain(error, t)}</Text>}
    </Stack>
  )
}

interface ClosedProps extends Refusal {
  alias: string
  onRetry: () => void
}

/** Why the person can't join, and what to do about it. */
export const Closed = ({ reason, signedInAs, alias, onRetry }: ClosedProps) => {
  const { t } = useTranslation()
  const heading = useFocusedHeading()
  const { icon: Icon, action } = looks[reason]
  const goesOnByItself = isTransient(reason)

  useEffect(() => {
    if (!goesOnByItself) return
    const timer = setInterval(onRetry, RETRY_MS)
    return () => clearInterval(timer)
  }, [goesOnByItself, onRetry])

  return (
    <Page>
      <Stack className={classes.notice} align="center" gap="md" data-reason={reason}>
        <Icon size={48} stroke={1.5} className={classes.icon} aria-hidden />
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {t(`closed.${reason}.title`)}
        </Title>
        <Text>{t(`closed.${reason}.text`, { name: signedInAs })}</Text>
        <Group justify="center">
          {action === 'signIn' && (
            <Button
              component="a"
              href={signInPath()}
              // The cookies of a session do not reach a frame on another site: there it goes on in a tab of its own.
              {...(isFramed() && { target: '_blank' })}
            >
              {t('closed.signIn')}
            </Button>
          )}
          {action === 'switchAccount' && <SwitchAccount />}
          {action === 'join' && (
            <Button component="a" href={`/room/${alias}`}>
              {t('watch.join')}
            </Button>
          )}
          {action === 'reload' && <Button onClick={onRetry}>{t('reload')}</Button>}
          {action === 'tryAgain' && (
            <Button variant="default" onClick={onRetry}>
              {t('tryAgain')}
            </Button>
          )}
        </Group>
      </Stack>
    </Page>
  )
}
