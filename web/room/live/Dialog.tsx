import { Modal, type ModalProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { FocusRescue } from '../../ui/focus.ts'
import { useLive } from './context.ts'

/** What stands in front of the room. The entry of a menu that opened it is gone when it closes. */
export const Dialog = ({ children, ...props }: ModalProps) => {
  const { t } = useTranslation()
  const { opener } = useLive().dialogs
  return (
    <Modal centered closeButtonProps={{ 'aria-label': t('close') }} {...props}>
      {children}
      <FocusRescue opener={opener} />
    </Modal>
  )
}
