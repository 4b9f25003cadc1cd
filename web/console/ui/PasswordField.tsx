import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** `autoComplete` tells password managers which password it is. */
export const PasswordField = (
  props: Pick<PasswordInputProps, 'name' | 'label' | 'description' | 'error'> & {
    autoComplete: 'current-password' | 'new-password'
  },
) => {
  const { t } = useTranslation()
  return (
    <PasswordInput
      required
      withAsterisk={false}
      // The library leaves it out of the tab order.
      visibilityToggleButtonProps={{ 'aria-label': t('password.show'), tabIndex: 0 }}
      {...props}
    />
  )
}
