import { Button, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import { Dialog } from './Dialog.tsx'
import { useFloor } from './floor.ts'

/** Whether the person was given the floor a moment ago and has not answered. */
const useIsInvited = () => {
  const { self, isModerator } = useLive()
  const hasFloor = self?.hasFloor
  const before = useRef(hasFloor)
  const [isInvited, setInvited] = useState(false)
  useEffect(() => {
    if (hasFloor === undefined) return
    // Whoever has it from the start, as after a reload, has answered before.
    if (before.current === false && hasFloor && !isModerator) setInvited(true)
    if (!hasFloor) setInvited(false)
    before.current = hasFloor
  }, [hasFloor, isModerator])
  return { isInvited, answered: () => setInvited(false) }
}

/** A viewer of a webinar was invited to speak: nothing is switched on before they say so. */
export const SpeakDialog = () => {
  const { t } = useTranslation()
  const { media } = useLive()
  const { giveBack } = useFloor()
  const { isInvited, answered } = useIsInvited()
  const { microphone, camera } = media.mayUse
  const join = (...inputs: ('microphone' | 'camera')[]) => {
    answered()
    media.turnOn(inputs)
  }
  const decline = () => {
    answered()
    void giveBack()
  }
  return (
    <Dialog opened={isInvited} onClose={decline} title={t('speak.title')}>
      <Stack>
        <Text>{t('speak.text')}</Text>
        <Stack gap="xs">
          {microphone && <Button onClick={() => join('microphone')}>{t('speak.microphone')}</Button>}
          {microphone && camera && (
            <Button variant="default" onClick={() => join('microphone', 'camera')}>
              {t('speak.both')}
            </Button>
          )}
          {!microphone && camera && <Button onClick={() => join('camera')}>{t('speak.camera')}</Button>}
          <Button variant="subtle" color="gray" onClick={decline}>
            {t('speak.notNow')}
          </Button>
        </Stack>
      </Stack>
    </Dialog>
  )
}
