import { Button, Loader, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Refusal } from '../closed/reasons.ts'
import type { AskedToJoin, JoinedCall } from '../entry.ts'
import { useFocusedHeading } from '../focusHeading.ts'
import { Page } from '../Page.tsx'
import pageClasses from '../page.module.css'
import { SpaceLogo } from '../SpaceLogo.tsx'
import { useAdmission } from './admission.ts'
import classes from './waiting.module.css'

interface WaitingProps {
  asked: AskedToJoin
  onJoined: (joinedCall: JoinedCall) => void
  onRefused: (refusal: Refusal) => void
  onLeave: () => void
}

/** Until a moderator lets the person in. */
export const Waiting = ({ asked, onJoined, onRefused, onLeave }: WaitingProps) => {
  const { t } = useTranslation()
  const heading = useFocusedHeading()
  const { isLost } = useAdmission(asked, onJoined, onRefused, onLeave)
  const { access, name } = asked
  return (
    <Page>
      <Stack className={pageClasses.notice} align="center" gap="md" data-phase="waiting">
        <div className={classes.room}>
          {access.logo && <SpaceLogo src={access.logo} />}
          <Text fw={600}>{access.roomName}</Text>
        </div>
        <Loader aria-hidden />
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {t('waiting.title')}
        </Title>
        <Text>{t('waiting.text', { name })}</Text>
        <div role="status">{isLost && <Text size="sm">{t('waiting.lost')}</Text>}</div>
        <Button variant="default" onClick={onLeave}>
          {t('waiting.leave')}
        </Button>
      </Stack>
    </Page>
  )
}
