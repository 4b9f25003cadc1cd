import { ActionIcon, Textarea } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../contract/messages.ts'
import { useComposer } from './composer.ts'
import classes from './panel.module.css'

export const Composer = ({ onSent }: { onSent: (message: Message) => void }) => {
  const { t } = useTranslation()
  const { text, setText, isSending, send } = useComposer(onSent)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <form
      className={classes.composer}
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <Textarea
        aria-label={t('chat.write')}
        placeholder={t('chat.write')}
        className={classes.field}
        autosize
        maxRows={5}
        maxLength={4000}
        autoFocus
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <ActionIcon type="submit" size={36} aria-label={t('chat.send')} loading={isSending}>
        <IconSend size={18} aria-hidden />
      </ActionIcon>
    </form>
  )
}
