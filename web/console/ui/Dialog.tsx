import { Modal, type ModalProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useEscape } from '../../ui/escape.ts'
import { FocusRescue } from '../../ui/focus.ts'

/** What is asked or shown before the page goes on. The button that opened it may be gone when it closes. */
export const Dialog = ({ children, closeOnEscape = true, ...props }: ModalProps) => {
  const { t } = useTranslation()
  useEscape(props.opened, () => closeOnEscape && props.onClose())
  return (
    <Modal centered closeOnEscape={false} closeButtonProps={{ 'aria-label': t('close') }} {...props}>
      {children}
      <FocusRescue />
    </Modal>
  )
}
