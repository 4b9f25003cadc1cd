/** What is joined at once, as in a room where nobody waits. */
export const admitted = <J extends { state: string }>(joined: J): Extract<J, { state: 'admitted' }> => {
  if (joined.state !== 'admitted') throw new Error('a moderator has to decide first')
  return joined as Extract<J, { state: 'admitted' }>
}
