import { keptForTab } from '../ui/storage.ts'
import { randomKey } from './link.ts'

const KEY = 'lectern.tab'
/** A page that is being reloaded lets go of its claim in less. */
const PATIENCE_MS = 500

/** Holds the key for as long as the page is open; false when another tab holds it. */
const claim = (key: string, patience?: AbortSignal): Promise<boolean> =>
  new Promise(resolve => {
    if (!navigator.locks) return resolve(true)
    navigator.locks
      .request(`lectern.tab.${key}`, patience ? { signal: patience } : {}, () => {
        resolve(true)
        return new Promise(() => {})
      })
      .catch((error: DOMException) => resolve(error.name !== 'TimeoutError' && error.name !== 'AbortError'))
  })

const find = async () => {
  const before = keptForTab.get(KEY)
  if (before && (await claim(before, AbortSignal.timeout(PATIENCE_MS)))) return before
  // A new tab, or the copy of one: a browser copies what a tab keeps along with it.
  const key = randomKey()
  keptForTab.set(KEY, key)
  // Nobody else can have it, so it is ours however long a busy browser takes to say so.
  await claim(key)
  return key
}

let found: Promise<string> | undefined

/** The same after a reload, another in every other tab: joining again with it takes the same place. */
export const tabKey = () => {
  found ??= find()
  return found
}
