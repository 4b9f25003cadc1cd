import { Alert, Button, Group, Stack } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../ui/CopyField.tsx'
import { Dialog } from './Dialog.tsx'

/** Something that is never shown again; so the dialog goes only by its own button. */
export const SecretOnce = ({
  title,
  text,
  fields,
  onClose,
}: {
  title: string
  text: string
  /** null: nothing to show. */
  fields: { label: string; value: string }[] | null
  onClose: () => void
}) => {
  const { t } = useTranslation()
  return (
    <Dialog
      opened={fields !== null}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Alert color="yellow" variant="light" icon={<IconKey aria-hidden />}>
          {text}
        </Alert>
        {fields?.map(field => (
          <CopyField key={field.label} {...field} />
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('secret.kept')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
