/*
 * A school's backend in one file: a room, a link for each student, and the attendance when the lesson is over.
 *
 *   npm install ./lectern-client-0.1.0.tgz     (`npm pack` in client/ makes it)
 *   LECTERN_URL=http://localhost:8080 LECTERN_TOKEN=lectern_pat_… node lms.mjs
 *
 * The token is a personal access token with the scopes spaces:write, rooms:write, links:write, webhook:write and
 * calls:read. Lectern must be able to reach CALLBACK_URL: on the same machine, start it with
 * LECTERN_ALLOW_PRIVATE_WEBHOOKS=1.
 */
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { createClient } from 'lectern-client'
import { verifyWebhook } from 'lectern-client/webhooks'

const { LECTERN_URL, LECTERN_TOKEN, PORT = '8000', CALLBACK_URL = `http://localhost:${PORT}/lectern` } = process.env
const students = [
  { id: 'student1', name: 'Ada Lovelace' },
  { id: 'student2', name: 'Alan Turing' },
]

const lectern = createClient({ baseUrl: LECTERN_URL, token: LECTERN_TOKEN })
const { id: spaceId } = await lectern.createSpaces({ name: 'Evening school' })
const { id: roomId } = await lectern.createRooms({ spaceId, name: 'Algebra', type: 'lesson' })
const { secret } = await lectern.createWebhook({ spaceId, url: CALLBACK_URL })

const events = new EventEmitter()
const receiver = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const event = verifyWebhook(Buffer.concat(chunks), secret)
  response.writeHead(event ? 204 : 401).end()
  if (!event) return
  console.log(`Event: ${event.eventName}`)
  events.emit(event.eventName, event)
}).listen(Number(PORT))
await once(receiver, 'listening')
const finished = once(events, 'call_finished')

const invite = async (name, who) => {
  const { url } = await lectern.generateAccess({ spaceId, roomId, username: name, ...who })
  console.log(`Link for ${name}: ${url}`)
}
for (const { id, name } of students) await invite(name, { role: 'user', externalUserId: id })
await invite('Teacher', { role: 'moderator' })

const [{ callId }] = await finished
const { people } = await lectern.getAttendance({ spaceId, roomId, callId })
for (const { id, name } of students) {
  const person = people.find(({ externalUserId }) => externalUserId === id)
  console.log(`${name}: ${person ? `${person.seconds} s` : 'absent'}`)
}
receiver.close()
