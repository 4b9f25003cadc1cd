import type { Member } from '../data/members.ts'

/** Members to choose from; the username tells apart those who go by the same name. */
export const memberOptions = (members: Member[]) =>
  members.map(({ userId, displayName, username }) => ({
    value: userId,
    label: displayName === username ? username : `${displayName} (${username})`,
  }))
