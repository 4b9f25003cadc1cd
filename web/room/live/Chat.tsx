import '@mantine/core/styles/Checkbox.css'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { Button, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { codeOf } from '../../ui/api.ts'
import { ChatLine, type MessageActions } from './ChatLine.tsx'
import { Composer } from './Composer.tsx'
import { useLive } from './context.ts'
import type { ChatFilter } from './messages.ts'
import classes from './panel.module.css'
import { refusalText } from './refusal.ts'

const filters: ChatFilter[] = ['all', 'questions', 'unanswered']

export const Chat = () => {
  const { t } = useTranslation()
  const { room, isModerator, chat } = useLive()
  const { messages, filter, setFilter, isLoading, hasEarlier, loadEarlier, put } = chat
  const actions = useMessageActions()
  const list = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const newest = messages.at(-1)?.id

  // Follows the talk, unless the person has scrolled up to read.
  useEffect(() => {
    if (newest && isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [newest])

  return (
    <>
      {(room?.type === 'webinar' || filter !== 'all') && (
        <SegmentedControl
          size="xs"
          className={classes.filter}
          aria-label={t('chat.filter')}
          value={filter}
          onChange={value => setFilter(value as ChatFilter)}
          data={filters.map(value => ({ value, label: t(`chat.filter.${value}`) }))}
        />
      )}
      <div
        ref={list}
        className={classes.messages}
        role="log"
        aria-label={t('chat.title')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 48
        }}
      >
        {hasEarlier && (
          <Button variant="subtle" size="xs" fullWidth onClick={loadEarlier}>
            {t('chat.earlier')}
          </Button>
        )}
        {isLoading && (
          <div aria-hidden>
            <Skeleton height={12} width="40%" mb={8} />
            <Skeleton height={12} />
          </div>
        )}
        {!isLoading && messages.length === 0 && (
          <Text size="sm" className={classes.nothing}>
            {t(filter === 'all' ? 'chat.empty' : `chat.empty.${filter}`)}
          </Text>
        )}
        <ol className={classes.lines}>
          {messages.map(message => (
            <ChatLine key={message.id} message={message} actions={isModerator ? actions : null} />
          ))}
        </ol>
      </div>
      <Composer onSent={put} />
    </>
  )
}

const useMessageActions = (): MessageActions => {
  const { t } = useTranslation()
  const { joinedCall, chat, say } = useLive()
  const { client, access } = joinedCall
  const at = { spaceId: access.spaceId, roomId: access.roomId }
  const act = async (messageId: string, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      if (codeOf(error) === 'not_found') chat.drop(messageId)
      else say(refusalText(error, t))
    }
  }
  return {
    remove: ({ id: messageId }) =>
      void act(messageId, async () => {
        await client.deleteMessage({ ...at, messageId })
        chat.drop(messageId)
      }),
    setAnswered: ({ id: messageId }, answered) =>
      void act(messageId, async () => chat.put(await client.setAnswered({ ...at, messageId, answered }))),
  }
}
