import { Alert, Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { createLink } from '../data/links.ts'
import type { Room } from '../data/rooms.ts'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, requiredText, textOf } from '../ui/Form.tsx'
import { embedOrigins, frameCode } from './embedding.ts'
import { LifetimeField } from './LifetimeField.tsx'
import { type Lifetime, lifetimes } from './lifetimes.ts'

interface EmbedDialogProps {
  room: Room
  opened: boolean
  onClose: () => void
}

/** Makes a guest link for the visitors of a site, and the code that shows the room there. */
export const EmbedDialog = ({ room, opened, onClose }: EmbedDialogProps) => {
  const { t } = useTranslation()
  const [url, setUrl] = useState<string | null>(null)
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setUrl(null)}
      title={t('embed.title')}
      size="lg"
    >
      <Stack gap="md">
        <Sites />
        {url === null ? (
          <EmbedForm room={room} onCreated={setUrl} onCancel={onClose} />
        ) : (
          <>
            <Text size="sm">{t('embed.ready')}</Text>
            <CodeBlock label={t('embed.code')} code={frameCode(url, room.name)} />
            <Group justify="flex-end">
              <Button onClick={onClose}>{t('done')}</Button>
            </Group>
          </>
        )}
      </Stack>
    </Dialog>
  )
}

/** Who may embed is a setting of the installation. */
const Sites = () => {
  const { t } = useTranslation()
  const setting = <Code>LECTERN_EMBED_ORIGINS</Code>
  if (embedOrigins.includes('*')) return <Text size="sm">{t('embed.sites.all')}</Text>
  if (embedOrigins.length === 0)
    return (
      <Alert color="yellow" variant="light" title={t('embed.sites.none')}>
        <Text size="sm">
          {t('embed.sites.none.text')} {setting}
        </Text>
      </Alert>
    )
  return (
    <div>
      <Text size="sm">{t('embed.sites')}</Text>
      <List size="sm" my={4}>
        {embedOrigins.map(origin => (
          <List.Item key={origin}>{origin}</List.Item>
        ))}
      </List>
      <Text size="xs" c="dimmed">
        {t('embed.sites.change')} {setting}
      </Text>
    </div>
  )
}

interface EmbedFormProps {
  room: Room
  onCreated: (url: string) => void
  onCancel: () => void
}

const EmbedForm = ({ room, onCreated, onCancel }: EmbedFormProps) => {
  const { t } = useTranslation()
  const send = async (fields: FormData) => {
    const url = await createLink(room, {
      role: 'user',
      isPermanent: true,
      label: requiredText(fields, 'label'),
      ttl: lifetimes[(textOf(fields, 'ttl') ?? 'year') as Lifetime],
    })
    onCreated(url)
  }
  return (
    <Form submitLabel={t('embed.submit')} send={send} onCancel={onCancel}>
      {errorAt => (
        <>
          <Text size="sm">{t('embed.text')}</Text>
          <TextInput
            name="label"
            label={t('links.label')}
            description={t('embed.label.text')}
            defaultValue={t('embed.label')}
            maxLength={100}
            error={errorAt('label')}
          />
          <LifetimeField defaultValue="year" error={errorAt('ttl')} />
        </>
      )}
    </Form>
  )
}
