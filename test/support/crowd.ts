import { newId } from '../../server/ids.ts'
import { findOpenCall } from '../../server/store/calls.ts'
import type { Db } from '../../server/store/tables.ts'

export interface Inside {
  name?: string
  role?: 'user' | 'moderator'
  handRaisedAt?: number | null
  hasFloor?: boolean
  joinedAt?: number
  leftAt?: number | null
}

/** More people in the room's call, in this order: the rows alone, since thousands who connect would take minutes. */
export const fillCall = async (db: Db, roomId: string, people: Inside[]) => {
  const call = await findOpenCall(db, roomId)
  if (!call) throw new Error('there is no call to fill')
  const now = Date.now()
  const rows = people.map(({ name = 'Somebody', role = 'user', handRaisedAt = null, hasFloor = false, ...stay }) => {
    const id = newId(now)
    const person = { id, roomId, person: `guest:${id}`, userId: null, guestId: null, tabKey: 'tab-0001' }
    return {
      participant: { ...person, externalUserId: null, handRaisedAt, hasFloor, isReplacing: false, createdAt: now },
      stay: {
        id: newId(now),
        callId: call.id,
        connectionId: `connection of ${id}`,
        participantId: id,
        userId: null,
        externalUserId: null,
        name,
        role,
        joinedAt: now,
        leftAt: null,
        ...stay,
      },
    }
  })
  for (let done = 0; done < rows.length; done += 500) {
    const some = rows.slice(done, done + 500)
    await db
      .insertInto('participants')
      .values(some.map(({ participant }) => participant))
      .execute()
    await db
      .insertInto('stays')
      .values(some.map(({ stay }) => stay))
      .execute()
  }
  return rows.map(({ participant }) => participant.id)
}
