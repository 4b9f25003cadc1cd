import hills from './hills.svg'
import library from './library.svg'
import office from './office.svg'

/** What can stand behind a person, by name. */
export const pictures = { library, office, hills }
