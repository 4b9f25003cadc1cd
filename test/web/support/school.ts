import type { Client } from '../../../client/client.ts'
import { newPerson, type Person } from './console.ts'
import type { Installation } from './lectern.ts'

/** Someone with an account and a name worth reading. */
export const newTeacher = async (lectern: Installation, displayName = 'Ada Lovelace'): Promise<Person> => {
  const person = await newPerson(lectern, 'teacher')
  await person.api.updateMe({ displayName })
  return person
}

/** A space with something on every page of it. */
export const makeSchool = async (owner: Client) => {
  const { id: spaceId } = await owner.createSpaces({
    name: 'Riverside School',
    description: 'Mathematics and physics, grades 7 to 11',
  })
  const [lesson, webinar] = await Promise.all([
    owner.createRooms({ spaceId, name: 'Algebra, first lesson' }),
    owner.createRooms({ spaceId, name: 'Open day', type: 'webinar', isPublic: true, isFloorAllowed: true }),
    owner.createRooms({ spaceId, name: 'Physics: waves' }),
  ])
  await owner.generateAccess({ spaceId, roomId: lesson.id, role: 'user', username: 'Grace Hopper' })
  await owner.generateAccess({ spaceId, roomId: lesson.id, role: 'moderator', isPermanent: true })
  for (const role of ['role_space_user', 'role_space_moderator'] as const) await owner.createInvite({ spaceId, role })
  return { spaceId, lesson, webinar }
}
