import { Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconDownload, IconMessage } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../contract/messages.ts'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { exactTime } from '../../ui/RelativeTime.tsx'
import type { Call, CallsOf } from '../data/calls.ts'
import { chatFile, downloadChat, useChat } from '../data/chat.ts'
import { DownloadButton } from '../ui/DownloadButton.tsx'
import { Empty } from '../ui/Empty.tsx'
import { tellProblem } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'

/** What was written in the call, oldest first, and the files to keep of it. */
export const CallChat = ({ of, call }: { of: CallsOf; call: Call }) => {
  const { t } = useTranslation()
  const chat = useChat(of, call)
  const isEmpty = chat.data?.length === 0
  return (
    <Section
      title={t('call.chat')}
      actions={!isEmpty && chat.data && <Downloads of={of} call={call} refresh={chat.refetch} />}
    >
      {chat.isPending && <Skeleton h={60} aria-hidden />}
      {chat.isError && <ProblemNotice error={chat.error} onRetry={() => chat.refetch()} />}
      {isEmpty && <Empty icon={IconMessage} text={t('call.chat.empty')} />}
      {chat.data && !isEmpty && (
        <Stack gap="md">
          {chat.hasNextPage && (
            <Button
              variant="default"
              size="xs"
              onClick={() => chat.fetchNextPage()}
              loading={chat.isFetchingNextPage}
              style={{ alignSelf: 'center' }}
            >
              {t('call.chat.earlier')}
            </Button>
          )}
          <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }} aria-label={t('call.chat')}>
            {chat.data.toReversed().map(message => (
              <Line key={message.id} message={message} />
            ))}
          </Stack>
        </Stack>
      )}
    </Section>
  )
}

const Line = ({ message: { name, role, text, to, isQuestion, answeredAt, createdAt } }: { message: Message }) => {
  const { t, i18n } = useTranslation()
  return (
    <li>
      <Group gap="xs" align="baseline">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {role === 'moderator' && (
          <Text size="xs" c="dimmed">
            {t('call.role.moderator')}
          </Text>
        )}
        <Text size="xs" c="dimmed" component="time" dateTime={createdAt}>
          {exactTime(createdAt, i18n.language)}
        </Text>
        {to === 'hosts' && (
          <Badge variant="light" color="gray" size="sm" tt="none">
            {t('call.chat.forHosts')}
          </Badge>
        )}
        {isQuestion && (
          <Badge variant="light" color={answeredAt === null ? 'blue' : 'green'} size="sm" tt="none">
            {t(answeredAt === null ? 'call.chat.question' : 'call.chat.answered')}
          </Badge>
        )}
      </Group>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Text>
    </li>
  )
}

interface DownloadsProps {
  of: CallsOf
  call: Call
  refresh: () => Promise<unknown>
}

const Downloads = ({ of, call, refresh }: DownloadsProps) => {
  const { t } = useTranslation()
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={() => downloadChat(of, call).catch(tellProblem)}
      >
        {t('call.chat.json')}
      </Button>
      <DownloadButton href={chatFile(of, call.id)} label={t('call.chat.txt')} refresh={refresh} />
    </>
  )
}
