import { Button, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useFocusedHeading } from '../focusHeading.ts'
import { Page } from '../Page.tsx'
import pageClasses from '../page.module.css'

/** How it came to an end for this person. */
export type Ending = 'left' | 'ended' | 'removed' | 'other_tab' | 'room_gone' | 'access_ended'

export interface EndedCall {
  ending: Ending
  roomName: string
  /** Of the whole call when it was ended for all, else of the person's own stay. */
  seconds: number
  /** The person themselves has ended it for all. */
  isOwn: boolean
}

const mayComeBack = (ending: Ending) => ending === 'left' || ending === 'ended' || ending === 'other_tab'

export const Ended = ({ ending, roomName, seconds, isOwn, onRejoin }: EndedCall & { onRejoin: () => void }) => {
  const { t } = useTranslation()
  const heading = useFocusedHeading()
  const minutes = Math.floor(seconds / 60)
  const length =
    minutes >= 60
      ? `${t('hours', { count: Math.floor(minutes / 60) })} ${t('minutes', { count: minutes % 60 })}`
      : minutes > 0
        ? t('minutes', { count: minutes })
        : t('seconds', { count: Math.max(1, Math.round(seconds)) })
  return (
    <Page>
      <Stack className={pageClasses.notice} align="center" gap="md" data-ending={ending}>
        <Text>{roomName}</Text>
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {t(`ended.${ending}.title`)}
        </Title>
        <Text>{t(ending === 'ended' && isOwn ? 'ended.ended.textOwn' : `ended.${ending}.text`)}</Text>
        {/* Whoever goes on in another tab is still in. */}
        {ending !== 'other_tab' && (
          <Text>{t(ending === 'ended' ? 'ended.callLength' : 'ended.stayLength', { length })}</Text>
        )}
        {mayComeBack(ending) && (
          <Button variant={ending === 'ended' ? 'default' : 'filled'} onClick={onRejoin}>
            {t(`ended.${ending}.rejoin`)}
          </Button>
        )}
      </Stack>
    </Page>
  )
}
