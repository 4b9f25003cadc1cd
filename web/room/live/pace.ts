/*
 * How soon a page reads the call again. In a large audience somebody always comes or goes: all pages together ask about
 * a hundred times a second, however many they are.
 */

/** At some moment within this time of a change. Moderators are few, and hands wait for them. */
export const pauseFor = (audience: number, isModerator: boolean) => {
  const pause = Math.max(250, audience * 20)
  return isModerator ? Math.min(pause, 1000) : pause
}

/** Whatever broadcasts were missed are caught up with this often. */
export const netFor = (audience: number, isModerator: boolean) => Math.max(15_000, 2 * pauseFor(audience, isModerator))
