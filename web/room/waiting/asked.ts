import { keptForTab } from '../../ui/storage.ts'

/* Whether this tab was waiting to be let in: after a reload it goes on by itself. */

const keyOf = (alias: string) => `lectern.asked.${alias}`

export const hasAsked = (alias: string) => keptForTab.get(keyOf(alias)) !== null
export const rememberAsked = (alias: string) => keptForTab.set(keyOf(alias), '1')
export const forgetAsked = (alias: string) => keptForTab.remove(keyOf(alias))
