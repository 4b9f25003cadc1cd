import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { entriesOf } from '../../ui/entries.ts'
import { type Lifetime, lifetimes } from './lifetimes.ts'

export const LifetimeField = ({ defaultValue, error }: { defaultValue: Lifetime; error?: string | undefined }) => {
  const { t } = useTranslation()
  return (
    <Select
      name="ttl"
      label={t('links.lifetime')}
      defaultValue={defaultValue}
      allowDeselect={false}
      data={entriesOf(lifetimes).map(([value]) => ({ value, label: t(`links.lifetime.${value}`) }))}
      error={error}
    />
  )
}
