import { Button, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { RoomAccess } from '../access.ts'
import type { Presence } from '../entry.ts'

interface PresenceChoiceProps {
  access: RoomAccess
  /** Of these, what the person has chosen already. */
  chosen: Presence | null
  isDisabled: boolean
  onChoose: (presence: Presence) => void
}

/** The person is in the call through another tab or device: to move here, or to be in it twice. */
export const PresenceChoice = ({ access, chosen, isDisabled, onChoose }: PresenceChoiceProps) => {
  const { t } = useTranslation()
  const first = useRef<HTMLButtonElement>(null)
  // It has taken the place of the button that had the focus.
  useEffect(() => first.current?.focus(), [])
  const button = (presence: Presence) => ({
    fullWidth: true,
    loading: chosen === presence && !isDisabled,
    disabled: isDisabled || (chosen !== null && chosen !== presence),
    onClick: () => onChoose(presence),
  })
  return (
    <Stack gap="xs">
      <Text role="alert">{t('lobby.elsewhere')}</Text>
      <Button ref={first} size="lg" {...button('switch')}>
        {t('lobby.switch')}
      </Button>
      {access.credentials.by === 'user' && (
        <>
          <Button variant="default" aria-describedby="beside-hint" {...button('beside')}>
            {t('lobby.beside')}
          </Button>
          <Text id="beside-hint" size="sm" c="dimmed">
            {t('lobby.beside.text')}
          </Text>
        </>
      )}
    </Stack>
  )
}
