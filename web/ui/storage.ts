/** Where the browser forbids storage, as in some frames, what is kept lasts as long as the page. */
const keeper = (area: () => Storage) => {
  const fallback = new Map<string, string>()
  return {
    get(key: string): string | null {
      try {
        return area().getItem(key)
      } catch {
        return fallback.get(key) ?? null
      }
    },
    set(key: string, value: string) {
      try {
        area().setItem(key, value)
      } catch {
        fallback.set(key, value)
      }
    },
    remove(key: string) {
      fallback.delete(key)
      try {
        area().removeItem(key)
      } catch {}
    },
  }
}

export const kept = keeper(() => localStorage)

/** Survives a reload, and ends with the tab. */
export const keptForTab = keeper(() => sessionStorage)
