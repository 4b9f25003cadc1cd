import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { kept } from './storage.ts'

export const languages = { en: 'English', ru: 'Русский' } as const
export type Language = keyof typeof languages

const KEY = 'lectern.language'
const isLanguage = (name: string | null | undefined): name is Language => name != null && name in languages

const preferred = (): Language => {
  const chosen = kept.get(KEY)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map(name => name.slice(0, 2)).find(isLanguage) ?? 'en'
}

const catalogue = import.meta.glob<{ default: Record<string, string> }>('../messages/*/*.ts')

/** The parts of the catalogue that the page uses. */
const load = (language: Language) =>
  Promise.all(
    [i18next.options.ns ?? []].flat().map(async part => {
      const messages = await catalogue[`../messages/${language}/${part}.ts`]?.()
      i18next.addResourceBundle(language, part, messages?.default, true, true)
    }),
  )

/** Texts are asked for by key in the part of the catalogue that belongs to the page, then in `common`. */
export const startLanguage = async (part: 'room' | 'console') => {
  const language = preferred()
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    ns: [part, 'common'],
    defaultNS: part,
    fallbackNS: 'common',
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
    resources: {},
  })
  await load(language)
  document.documentElement.lang = language
}

export const changeLanguage = async (language: Language) => {
  kept.set(KEY, language)
  await load(language)
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
}
