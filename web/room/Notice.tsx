import { Button, Group, Stack, Text, Title } from '@mantine/core'
import {
  IconClockOff,
  IconDoorOff,
  IconHourglass,
  IconLinkOff,
  IconLock,
  IconPlugConnectedX,
  IconUserOff,
  IconWorldX,
} from '@tabler/icons-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useArrival } from './arrival.ts'
import { Page } from './Page.tsx'
import classes from './page.module.css'
import { isPassing, type Reason } from './reasons.ts'

const icons: Record<Reason, typeof IconLock> = {
  link_used: IconLinkOff,
  link_expired: IconClockOff,
  link_revoked: IconLinkOff,
  link_unknown: IconLinkOff,
  access_ended: IconClockOff,
  sign_in: IconLock,
  private: IconLock,
  removed: IconUserOff,
  room_gone: IconDoorOff,
  call_ended: IconHourglass,
  media_starting: IconHourglass,
  media_off: IconPlugConnectedX,
  busy: IconHourglass,
  unreachable: IconPlugConnectedX,
  unsupported: IconWorldX,
}

const RETRY_MS = 5000

interface NoticeProps {
  reason: Reason
  alias: string
  onRetry: () => void
}

/** Why the door is closed, and what to do about it. */
export const Notice = ({ reason, alias, onRetry }: NoticeProps) => {
  const { t } = useTranslation()
  const heading = useArrival()
  const Icon = icons[reason]
  const goesOnByItself = isPassing(reason)
  const needsAccount = reason === 'sign_in' || reason === 'private'

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
        <Text>{t(`closed.${reason}.text`)}</Text>
        <Group justify="center">
          {needsAccount && (
            <Button
              component="a"
              href={`/sign-in?next=${encodeURIComponent(`/room/${alias}`)}`}
              // The cookies of a session do not reach a frame on another site: there it goes on in a tab of its own.
              {...(window.parent !== window && { target: '_blank' })}
            >
              {t('closed.signIn')}
            </Button>
          )}
          {(goesOnByItself || reason === 'call_ended' || reason === 'media_off') && (
            <Button variant="default" onClick={onRetry}>
              {t('tryAgain')}
            </Button>
          )}
        </Group>
      </Stack>
    </Page>
  )
}
