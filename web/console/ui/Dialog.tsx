import { Modal, type ModalProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { FocusRescue } from '../../ui/focus.ts'

/** What is asked or shown before the page goes on. The button that opened it may be gone when it closes. */
export const Dialog = ({ children, ...props }: ModalProps) => {
  const { t } = useTranslation()
  return (
    <Modal centered closeButtonProps={{ 'aria-label': t('close') }} {...props}>
      {children}
      <FocusRescue />
    </Modal>
  )
}
