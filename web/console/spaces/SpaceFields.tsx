import { Textarea, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Space } from '../../../contract/spaces.ts'
import { Switch } from '../ui/Switch.tsx'
import { LogoFields } from './LogoFields.tsx'

/** What a space is made of, for making and for changing it. */
export const SpaceFields = ({ errorAt, space }: { errorAt: (field: string) => string | undefined; space?: Space }) => {
  const { t } = useTranslation()
  return (
    <>
      <TextInput
        name="name"
        label={t('name')}
        placeholder={t('spaces.name.example')}
        defaultValue={space?.name}
        required
        maxLength={200}
        data-autofocus
        error={errorAt('name')}
      />
      <Textarea
        name="description"
        label={t('description')}
        description={t('optional')}
        defaultValue={space?.description ?? ''}
        autosize
        minRows={2}
        maxLength={4000}
        error={errorAt('description')}
      />
      <LogoFields key={space?.logo} logo={space?.logo ?? null} errorAt={errorAt} />
      <Switch
        name="isPublic"
        label={t('spaces.isPublic')}
        description={t('spaces.isPublic.text')}
        defaultChecked={space?.isPublic ?? false}
      />
    </>
  )
}
