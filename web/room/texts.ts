import type common from '../messages/en/common.ts'
import type room from '../messages/en/room.ts'

/* The texts of this page: a key that is in neither does not compile. */

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'room'
    fallbackNS: 'common'
    keySeparator: false
    nsSeparator: false
    resources: { room: typeof room; common: typeof common }
  }
}
