/** The calls that can be captured at once on this node. One that is recorded and streamed takes one place. */
export interface Places {
  /** Whether there is a place for the call in this channel, or it has one already. */
  isFree: (channelId: string) => boolean
  /** Gives what releases it; null: there is none. */
  take: (channelId: string) => (() => void) | null
}

export const createPlaces = (capacity: number): Places => {
  const uses = new Map<string, number>()
  const isFree = (channelId: string) => uses.has(channelId) || uses.size < capacity
  return {
    isFree,
    take(channelId) {
      if (!isFree(channelId)) return null
      uses.set(channelId, (uses.get(channelId) ?? 0) + 1)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        const others = (uses.get(channelId) ?? 1) - 1
        if (others > 0) uses.set(channelId, others)
        else uses.delete(channelId)
      }
    },
  }
}
