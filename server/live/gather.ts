/** Acts once for all that comes under one name within `ms` of the first. */
export const createGather = (ms: number) => {
  const waiting = new Set<string>()
  return (name: string, act: () => void) => {
    if (waiting.has(name)) return
    waiting.add(name)
    setTimeout(() => {
      waiting.delete(name)
      act()
    }, ms).unref()
  }
}
