import { Radio, type RadioGroupProps, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface ChoicesProps<V extends string>
  extends Omit<RadioGroupProps, 'children' | 'onChange' | 'value' | 'defaultValue'> {
  /** The catalogue has each of them as `texts.value`, and what it means as `texts.value.text`. */
  texts: string
  values: readonly V[]
  value?: V
  defaultValue?: V
  onChange?: (value: V) => void
}

/** One of a few, each with a word on what it means. */
export const Choices = <V extends string>({ texts, values, onChange, ...group }: ChoicesProps<V>) => {
  const { t } = useTranslation()
  return (
    <Radio.Group {...group} {...(onChange && { onChange: value => onChange(value as V) })}>
      <Stack gap="xs" mt={4}>
        {values.map((value: string) => (
          <Radio key={value} value={value} label={t(`${texts}.${value}`)} description={t(`${texts}.${value}.text`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
