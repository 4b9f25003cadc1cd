import type { PastParticipant, PastPerson } from '../../contract/calls.ts'
import { changedLinkName } from '../store/calls.ts'
import type { Row } from '../store/tables.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'

/** The engine's events may have come out of order. */
const inOrder = (stays: Row<'stays'>[]) => stays.toSorted((one, other) => one.joinedAt - other.joinedAt)

const toStay = ({ joinedAt, leftAt }: Pick<Row<'stays'>, 'joinedAt' | 'leftAt'>) => ({
  joinedAt: isoTime(joinedAt),
  leftAt: isoTimeOrNull(leftAt),
})

/** One entry for each participant, with all their stays in the call. */
export const attendanceOf = (stays: Row<'stays'>[], now: number): PastParticipant[] => {
  const participants = new Map<string, PastParticipant>()
  for (const stay of inOrder(stays)) {
    const { participantId, userId, externalUserId, name, role, joinedAt, leftAt } = stay
    const participant = participants.get(participantId) ?? {
      participantId,
      userId,
      externalUserId,
      name,
      role,
      stays: [],
      totalSeconds: 0,
    }
    participants.set(participantId, participant)
    participant.role = role
    participant.stays.push(toStay(stay))
    participant.totalSeconds += Math.round(((leftAt ?? now) - joinedAt) / 1000)
  }
  return [...participants.values()]
}

/** Their account, else who they are in another system, else the guest. */
const personOf = ({ userId, externalUserId, guestId, participantId }: Row<'stays'>) => {
  if (userId !== null) return `user:${userId}`
  if (externalUserId !== null) return `external:${externalUserId}`
  return guestId === null ? `participant:${participantId}` : `guest:${guestId}`
}

/** Those that overlap, in several tabs or on several devices, are one. */
const merged = (stays: Row<'stays'>[]) => {
  const apart: Pick<Row<'stays'>, 'joinedAt' | 'leftAt'>[] = []
  for (const { joinedAt, leftAt } of stays) {
    const last = apart.at(-1)
    if (!last || (last.leftAt !== null && last.leftAt < joinedAt)) apart.push({ joinedAt, leftAt })
    else if (last.leftAt !== null) last.leftAt = leftAt === null ? null : Math.max(last.leftAt, leftAt)
  }
  return apart
}

const toPerson = (stays: [Row<'stays'>, ...Row<'stays'>[]], now: number): PastPerson => {
  const last = stays.at(-1) ?? stays[0]
  const apart = merged(stays)
  const milliseconds = apart.reduce((sum, { joinedAt, leftAt }) => sum + (leftAt ?? now) - joinedAt, 0)
  return {
    userId: last.userId,
    externalUserId: last.externalUserId,
    name: last.name,
    ...changedLinkName(last),
    role: last.role,
    firstJoinedAt: isoTime(stays[0].joinedAt),
    lastLeftAt: isoTimeOrNull(apart.at(-1)?.leftAt ?? null),
    seconds: Math.round(milliseconds / 1000),
    stays: apart.map(toStay),
  }
}

/** One entry for each person, in the order they first joined. */
export const peopleOf = (stays: Row<'stays'>[], now: number): PastPerson[] =>
  [...Map.groupBy(inOrder(stays), personOf).values()].map(ofOne =>
    toPerson(ofOne as [Row<'stays'>, ...Row<'stays'>[]], now),
  )
