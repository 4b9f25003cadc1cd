import { TextInput, type TextInputProps } from '@mantine/core'

/** For password managers too, and left as it is typed. */
export const UsernameField = (props: Pick<TextInputProps, 'label' | 'description' | 'error'>) => (
  <TextInput
    name="username"
    autoComplete="username"
    autoCapitalize="none"
    spellCheck={false}
    required
    withAsterisk={false}
    {...props}
  />
)
