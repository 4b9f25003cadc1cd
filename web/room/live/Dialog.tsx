import { Modal, type ModalProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useEscape } from '../../ui/escape.ts'
import { FocusRescue } from '../../ui/focus.ts'
import { useLive } from './context.ts'

/** What stands in front of the room. The entry of a menu that opened it is gone when it closes. */
export const Dialog = ({ children, ...props }: ModalProps) => {
  const { t } = useTranslation()
  const { opener } = useLive().dialogs
  useEscape(props.opened, props.onClose)
  return (
    <Modal centered closeOnEscape={false} closeButtonProps={{ 'aria-label': t('close') }} {...props}>
      {children}
      <FocusRescue opener={opener} />
    </Modal>
  )
}
