import { Modal, type ModalProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** What is asked or shown before the page goes on. */
export const Dialog = (props: ModalProps) => {
  const { t } = useTranslation()
  return <Modal centered closeButtonProps={{ 'aria-label': t('close') }} {...props} />
}
