import { ActionIcon, Anchor, Button } from '@mantine/core'
import { IconCheck, IconLock, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../contract/messages.ts'
import classes from './panel.module.css'

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

/** Who sees it, and what it is. */
const Marks = ({ message: { to, isQuestion, answeredAt } }: { message: Message }) => {
  const { t } = useTranslation()
  if (to === 'everyone' && !isQuestion) return null
  return (
    <div className={classes.marks}>
      {to === 'hosts' && (
        <span className={classes.mark}>
          <IconLock size={12} aria-hidden />
          {t('chat.forHosts')}
        </span>
      )}
      {isQuestion && (
        <span className={classes.mark} data-answered={answeredAt !== null || undefined}>
          {answeredAt !== null && <IconCheck size={12} aria-hidden />}
          {t(answeredAt === null ? 'chat.question' : 'chat.answered')}
        </span>
      )}
    </div>
  )
}

export interface MessageActions {
  remove: (message: Message) => void
  setAnswered: (message: Message, answered: boolean) => void
}

interface ChatLineProps {
  message: Message
  /** null: not for this person. */
  actions: MessageActions | null
}

export const ChatLine = ({ message, actions }: ChatLineProps) => {
  const { t, i18n } = useTranslation()
  const { id, name, role, text, isQuestion, answeredAt, createdAt } = message
  // As the person's own country writes it, where that speaks the language of the page.
  const locale = navigator.languages.find(name => name.startsWith(i18n.language)) ?? i18n.language
  const time = new Date(createdAt).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
  return (
    <li className={classes.message} data-message={id}>
      <div className={classes.author}>
        <span className={classes.name}>{name}</span>
        {role === 'moderator' && <span className={classes.role}>{t('people.moderator')}</span>}
        <time dateTime={createdAt}>{time}</time>
        {actions && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            className={classes.delete}
            aria-label={t('chat.delete', { name })}
            onClick={() => actions.remove(message)}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </div>
      <Marks message={message} />
      <p className={classes.text}>
        <Linked text={text} />
      </p>
      {actions && isQuestion && (
        <Button
          variant="subtle"
          size="compact-xs"
          className={classes.answer}
          onClick={() => actions.setAnswered(message, answeredAt === null)}
        >
          {t(answeredAt === null ? 'chat.markAnswered' : 'chat.markUnanswered')}
        </Button>
      )}
    </li>
  )
}
