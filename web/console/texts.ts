import type { ParseKeys } from 'i18next'
import type common from '../messages/en/common.ts'
import type console from '../messages/en/console.ts'

/* The texts of this page: a key that is in neither does not compile. */

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'console'
    fallbackNS: 'common'
    keySeparator: false
    nsSeparator: false
    resources: { console: typeof console; common: typeof common }
  }
}

type NamesBefore<Ending extends string, Key = ParseKeys> = Key extends `${infer Name}${Ending}` ? Name : never

/** The names under which there is a text with the one ending, and with all of the others. */
export type NameOfTexts<Ending extends string, Others extends string> = {
  [Name in NamesBefore<Ending>]: `${Name}${Others}` extends ParseKeys ? Name : never
}[NamesBefore<Ending>]
