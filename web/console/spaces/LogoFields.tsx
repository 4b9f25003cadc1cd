import { Box, FileInput, Group, Image, TextInput } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

interface LogoFieldsProps {
  logo: string | null
  errorAt: (field: string) => string | undefined
}

/** An image to upload, or where there is one; an uploaded one has a URL, too. */
export const LogoFields = ({ logo, errorAt }: LogoFieldsProps) => {
  const { t } = useTranslation()
  const [file, setFile] = useState<File | null>(null)
  return (
    <>
      <FileInput
        name="logoFile"
        label={t('spaces.logo')}
        description={t('spaces.logo.file')}
        placeholder={t('spaces.logo.choose')}
        // No example, but what the button does.
        styles={{ placeholder: { color: 'var(--mantine-color-text)' } }}
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        leftSection={<IconUpload size={16} aria-hidden />}
        inputContainer={input => (
          <Group align="flex-end" wrap="nowrap" gap="sm">
            {logo !== null && (
              <Image src={logo} alt={t('spaces.logo.current')} w={36} h={36} fit="contain" radius="sm" />
            )}
            <Box flex={1} miw={0}>
              {input}
            </Box>
          </Group>
        )}
        clearable
        clearButtonProps={{ 'aria-label': t('remove') }}
        value={file}
        onChange={setFile}
        error={errorAt('logoFile')}
      />
      {file === null && (
        <TextInput
          name="logo"
          type="url"
          label={t('spaces.logo.url')}
          description={t('spaces.logo.text')}
          placeholder="https://"
          defaultValue={logo ?? ''}
          error={errorAt('logo')}
        />
      )}
    </>
  )
}

/** What was chosen, if anything. */
export const logoFileOf = (fields: FormData) => {
  const file = fields.get('logoFile')
  return file instanceof File && file.size > 0 ? file : undefined
}
