import { Button, Text } from '@mantine/core'
import { IconBroadcast, IconLink, IconPlayerStop } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../../ui/CopyField.tsx'
import { useLive } from '../context.ts'
import { useInvite } from '../invite.ts'
import { StreamProgress } from '../Streaming.tsx'
import { type LiveStream, useStreaming } from '../streaming.ts'
import { Section } from './Section.tsx'

/** Nobody tells of it when somebody begins to watch. */
const COUNT_EVERY_MS = 10_000

const useFreshCount = (isStreamed: boolean) => {
  const { refresh } = useLive()
  const look = useRef(refresh)
  look.current = refresh
  useEffect(() => {
    if (!isStreamed) return
    const timer = setInterval(() => void look.current(), COUNT_EVERY_MS)
    return () => clearInterval(timer)
  }, [isStreamed])
}

const State = ({ stream }: { stream: LiveStream }) => {
  const { t } = useTranslation()
  const { target } = stream
  return (
    <>
      <Text size="sm">{stream.state === 'live' ? <StreamProgress stream={stream} /> : t('live.stream.starting')}</Text>
      {target && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t(`live.stream.target.${target.state}`, { host: target.host })}
        </Text>
      )}
    </>
  )
}

/** Where the call is streamed to, and for how many. */
export const Streaming = () => {
  const { t } = useTranslation()
  const { alias } = useLive().joinedCall.access
  const streaming = useStreaming()
  const invite = useInvite('inviteToWatch')
  useFreshCount(Boolean(streaming?.stream))
  if (!streaming) return null
  const { stream, askToStart, askToStop } = streaming
  return (
    <Section title={t('host.stream')}>
      {stream ? (
        <>
          <State stream={stream} />
          <CopyField label={t('live.stream.page')} value={`${location.origin}/room/${alias}/live`} />
          {invite && (
            <Button variant="default" leftSection={<IconLink size={18} aria-hidden />} onClick={invite}>
              {t('live.stream.invite')}
            </Button>
          )}
          <Button color="red.8" leftSection={<IconPlayerStop size={18} aria-hidden />} onClick={askToStop}>
            {t('live.stream.stop')}
          </Button>
        </>
      ) : (
        <Button variant="default" leftSection={<IconBroadcast size={18} aria-hidden />} onClick={askToStart}>
          {t('live.stream.start')}
        </Button>
      )}
    </Section>
  )
}
