import { type MantineColorScheme, SegmentedControl, Stack, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { entriesOf } from './entries.ts'
import { changeLanguage, type Language, languages } from './language.ts'

const schemes = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon }

export const ColorSchemeSwitch = () => {
  const { t } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={t('colorScheme')}
      value={colorScheme}
      onChange={value => setColorScheme(value as MantineColorScheme)}
      data={entriesOf(schemes).map(([value, Icon]) => ({
        value,
        label: (
          <>
            <Icon size={14} aria-hidden style={{ display: 'block', margin: '3px auto' }} />
            <VisuallyHidden>{t(`colorScheme.${value}`)}</VisuallyHidden>
          </>
        ),
      }))}
    />
  )
}

export const LanguageSwitch = () => {
  const { t, i18n } = useTranslation()
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={t('language.choose')}
      value={i18n.language}
      onChange={value => changeLanguage(value as Language)}
      data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
    />
  )
}

export const Preferences = () => (
  <Stack gap="xs">
    <LanguageSwitch />
    <ColorSchemeSwitch />
  </Stack>
)
