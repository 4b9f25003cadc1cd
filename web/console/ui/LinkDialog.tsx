import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NameOfTexts } from '../texts.ts'
import { Dialog } from './Dialog.tsx'
import { LinkToSend } from './LinkToSend.tsx'

interface LinkDialogProps {
  /** Of its own in the catalogue: `create`, `ready`, `ready.text` and `link`. */
  texts: NameOfTexts<'.ready.text', '.create' | '.ready' | '.link'>
  opened: boolean
  onClose: () => void
  /** The form that makes the link. */
  children: (onCreated: (url: string) => void) => ReactNode
}

/** Asks for what a link needs, then shows it to be sent. */
export const LinkDialog = ({ texts, opened, onClose, children }: LinkDialogProps) => {
  const { t } = useTranslation()
  const [url, setUrl] = useState<string | null>(null)
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setUrl(null)}
      title={t(`${texts}.${url ? 'ready' : 'create'}`)}
    >
      {url ? (
        <LinkToSend
          label={t(`${texts}.link`)}
          url={url}
          text={t(`${texts}.ready.text`)}
          isOfRoom={texts === 'links'}
          onClose={onClose}
        />
      ) : (
        children(setUrl)
      )}
    </Dialog>
  )
}
