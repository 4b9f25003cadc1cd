import { ActionIcon, Checkbox, NativeSelect, Textarea } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { type KeyboardEvent, useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Audience, Message } from '../../../contract/messages.ts'
import { useComposer } from './composer.ts'
import { useLive } from './context.ts'
import classes from './panel.module.css'

export const Composer = ({ onSent }: { onSent: (message: Message) => void }) => {
  const { t } = useTranslation()
  const { room, isModerator } = useLive()
  const { text, setText, to, setTo, isQuestion, setIsQuestion, isSending, send } = useComposer(onSent)
  const hint = useId()
  const isWebinar = room?.type === 'webinar'
  const isForHosts = to === 'hosts'
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
      {(isWebinar || isForHosts) && (
        <div className={classes.options}>
          <NativeSelect
            aria-label={t('chat.to')}
            size="xs"
            value={to}
            onChange={event => setTo(event.currentTarget.value as Audience)}
            data={(['everyone', 'hosts'] as const).map(value => ({ value, label: t(`chat.to.${value}`) }))}
          />
          {!isModerator && (
            <Checkbox
              size="xs"
              label={t('chat.question')}
              checked={isQuestion}
              onChange={event => setIsQuestion(event.currentTarget.checked)}
            />
          )}
        </div>
      )}
      {isForHosts && (
        <p id={hint} className={classes.hint}>
          {t('chat.to.hosts.hint')}
        </p>
      )}
      <div className={classes.write}>
        <Textarea
          aria-label={t('chat.write')}
          placeholder={t('chat.write')}
          {...(isForHosts && { 'aria-describedby': hint })}
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
      </div>
    </form>
  )
}
