import { Radio, type RadioGroupProps, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { NameOfTexts } from '../texts.ts'

interface ChoicesProps<V extends string>
  extends Omit<RadioGroupProps, 'children' | 'onChange' | 'value' | 'defaultValue'> {
  values: readonly V[]
  /** The text that names it; under it `text` says what it means. */
  keyOf: (value: V) => NameOfTexts<'.text', ''>
  value?: V
  defaultValue?: V
  onChange?: (value: V) => void
}

/** One of a few, each with a word on what it means. */
export const Choices = <V extends string>({ values, keyOf, onChange, ...group }: ChoicesProps<V>) => {
  const { t } = useTranslation()
  return (
    <Radio.Group {...group} {...(onChange && { onChange: value => onChange(value as V) })}>
      <Stack gap="xs" mt={4}>
        {values.map(value => (
          <Radio key={value} value={value} label={t(keyOf(value))} description={t(`${keyOf(value)}.text`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
