/** Local storage; where the browser forbids it, as in some frames, what is kept lasts as long as the page. */
const fallback = new Map<string, string>()

export const kept = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(key)
    } catch {
      return fallback.get(key) ?? null
    }
  },
  set(key: string, value: string) {
    try {
      localStorage.setItem(key, value)
    } catch {
      fallback.set(key, value)
    }
  },
  remove(key: string) {
    fallback.delete(key)
    try {
      localStorage.removeItem(key)
    } catch {}
  },
}
