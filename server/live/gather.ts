/** Acts once for all that comes under one name within the time given for it. */
export const createGather = (msFor: (name: string) => number | Promise<number>) => {
  const waiting = new Set<string>()
  return async (name: string, act: () => void) => {
    if (waiting.has(name)) return
    waiting.add(name)
    setTimeout(
      () => {
        waiting.delete(name)
        act()
      },
      await msFor(name),
    ).unref()
  }
}
