import common from '../../../web/messages/ru/common.ts'
import consoleTexts from '../../../web/messages/ru/console.ts'
import roomTexts from '../../../web/messages/ru/room.ts'

/** Three words in a row that are not Russian; names of things, addresses and codes are shorter. */
export const latinSentence = /[A-Za-z][A-Za-z’']*(?: [A-Za-z][A-Za-z’']*){2,}/

const texts: Record<string, string> = { ...common, ...roomTexts, ...consoleTexts }
/** A text of the pages by its key, for a name put into it. */
export const say = (key: string, name = '') => texts[key]?.replace('{{name}}', name) ?? key
