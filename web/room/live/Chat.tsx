import { ActionIcon, Anchor, Button, Skeleton, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../contract/messages.ts'
import { codeOf } from '../../ui/api.ts'
import { Composer } from './Composer.tsx'
import { useLive } from './context.ts'
import classes from './panel.module.css'
import { refusalText } from './refusal.ts'

const address = /(https?:\/\/[^\s<>"]+[^\s<>"'.,;:!?)\]])/

const Linked = ({ text }: { text: string }) =>
  text.split(address).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change places
      <Anchor key={index} href={part} target="_blank" rel="noopener noreferrer" inherit underline="always">
        {part}
      </Anchor>
    ) : (
      part
    ),
  )

const Line = ({ message, onDelete }: { message: Message; onDelete: (() => void) | null }) => {
  const { t, i18n } = useTranslation()
  const { id, name, role, text, createdAt } = message
  // As the person's own country writes it, where that speaks the language of the page.
  const locale = navigator.languages.find(name => name.startsWith(i18n.language)) ?? i18n.language
  const time = new Date(createdAt).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
  return (
    <li className={classes.message} data-message={id}>
      <div className={classes.author}>
        <span className={classes.name}>{name}</span>
        {role === 'moderator' && <span className={classes.role}>{t('people.moderator')}</span>}
        <time dateTime={createdAt}>{time}</time>
        {onDelete && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            className={classes.delete}
            aria-label={t('chat.delete', { name })}
            onClick={onDelete}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </div>
      <p className={classes.text}>
        <Linked text={text} />
      </p>
    </li>
  )
}

export const Chat = () => {
  const { t } = useTranslation()
  const { joinedCall, isModerator, chat, say } = useLive()
  const { messages, isLoading, hasEarlier, loadEarlier, add, drop } = chat
  const list = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const newest = messages.at(-1)?.id

  // Follows the talk, unless the person has scrolled up to read.
  useEffect(() => {
    if (newest && isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [newest])

  const remove = async (messageId: string) => {
    const { spaceId, roomId } = joinedCall.access
    try {
      await joinedCall.client.deleteMessage({ spaceId, roomId, messageId })
      drop(messageId)
    } catch (error) {
      if (codeOf(error) === 'not_found') drop(messageId)
      else say(refusalText(error, t))
    }
  }

  return (
    <>
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
            {t('chat.empty')}
          </Text>
        )}
        <ol className={classes.lines}>
          {messages.map(message => (
            <Line key={message.id} message={message} onDelete={isModerator ? () => void remove(message.id) : null} />
          ))}
        </ol>
      </div>
      <Composer onSent={add} />
    </>
  )
}
