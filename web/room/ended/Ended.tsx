import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { isFramed } from '../embed.ts'
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
  /** For a moderator with an account, who finds more in the console. */
  host: Host | null
}

export interface Host {
  spaceId: string
  alias: string
  callId: string
  /** As far as was seen. */
  wasRecorded: boolean
}

const mayComeBack = (ending: Ending) => ending === 'left' || ending === 'ended' || ending === 'other_tab'

/** What the console has of a call and its room. It can't be shown in a frame. */
const HostLinks = ({ host: { spaceId, alias, callId, wasRecorded }, isOver }: { host: Host; isOver: boolean }) => {
  const { t } = useTranslation()
  const room = `/spaces/${spaceId}/rooms/${alias}`
  const link = { component: 'a', ...(isFramed() && { target: '_blank' }) } as const
  return (
    <>
      {isOver && (
        <Button {...link} href={`${room}/calls/${callId}`}>
          {t('ended.attendance')}
        </Button>
      )}
      {wasRecorded && (
        <Button {...link} variant="default" href={`${room}/recordings`}>
          {t('ended.recordings')}
        </Button>
      )}
      <Button {...link} variant="default" href={room}>
        {t('ended.roomPage')}
      </Button>
    </>
  )
}

export const Ended = ({ ending, roomName, seconds, isOwn, host, onRejoin }: EndedCall & { onRejoin: () => void }) => {
  const { t } = useTranslation()
  const heading = useFocusedHeading()
  const isOver = ending === 'ended'
  const by = isOwn ? 'Own' : host ? 'Host' : ''
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
        <Text>{t(isOver ? `ended.ended.text${by}` : `ended.${ending}.text`)}</Text>
        {/* Whoever goes on in another tab is still in. */}
        {ending !== 'other_tab' && <Text>{t(isOver ? 'ended.callLength' : 'ended.stayLength', { length })}</Text>}
        {host?.wasRecorded && <Text>{t('ended.recorded')}</Text>}
        <Group justify="center">
          {mayComeBack(ending) && !isOver && <Button onClick={onRejoin}>{t(`ended.${ending}.rejoin`)}</Button>}
          {host && (isOver || ending === 'left') && <HostLinks host={host} isOver={isOver} />}
          {isOver && (
            <Button variant={host ? 'subtle' : 'default'} onClick={onRejoin}>
              {t('ended.ended.rejoin')}
            </Button>
          )}
        </Group>
      </Stack>
    </Page>
  )
}
