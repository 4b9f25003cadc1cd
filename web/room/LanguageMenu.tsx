import { Button, Menu, VisuallyHidden } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { changeLanguage, type Language, languages } from '../ui/language.ts'

export const LanguageItems = () => {
  const { i18n } = useTranslation()
  return (
    <Menu.RadioGroup value={i18n.language} onChange={code => changeLanguage(code as Language)}>
      {Object.entries(languages).map(([code, name]) => (
        <Menu.RadioItem key={code} value={code} lang={code}>
          {name}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  )
}

export const LanguageMenu = () => {
  const { t, i18n } = useTranslation()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          fw={500}
          leftSection={<IconLanguage size={18} aria-hidden />}
        >
          <VisuallyHidden>{t('language.choose')}: </VisuallyHidden>
          {languages[i18n.language as Language]}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <LanguageItems />
      </Menu.Dropdown>
    </Menu>
  )
}
