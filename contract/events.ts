import Type, { type Static, type TProperties } from 'typebox'
import { ParticipantRole } from './calls.ts'
import { Id, Nullable, Time } from './common.ts'
import { RoomRole } from './roles.ts'
import { SpaceRole } from './spaces.ts'

/*
 * What a webhook can be told: the name of each event, and the fields of its `body`. A body is one flat object of strings
 * and nulls; fields may be added.
 */

const event = <const N extends string, F extends TProperties>(eventName: N, description: string, fields: F) =>
  Object.assign(Type.Object({ eventName: Type.Literal(eventName), ...fields }), {
    title: eventName.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    description,
  })

const occurredAt = Time('When it happened')
const room = { roomId: Id('Room'), spaceId: Id('Space'), occurredAt }
const call = { roomId: Id('Room'), spaceId: Id('Space'), callId: Id('Call'), occurredAt }
const space = {
  roomId: Type.Literal('', { description: 'Empty: the event is about the space' }),
  spaceId: Id('Space'),
  occurredAt,
}

const Name = Type.String({ examples: ['Grace Hopper'] })

/** By whom they are known: an account has a `userId`, a guest may have an `externalUserId`. */
const known = {
  userId: Nullable(Id('User; null for a guest')),
  externalUserId: Nullable(Type.String({ description: 'As set on the guest link', examples: ['student42'] })),
}
const participant = {
  participantId: Id('Participant'),
  name: Name,
  linkName: Type.Optional(
    Type.String({ description: 'Name on the guest link, if they go by another', examples: ['Grace'] }),
  ),
  role: ParticipantRole,
  ...known,
}
const record = { ...call, recordId: Id('Recording') }
const named = {
  name: Type.String({ description: 'Room name', examples: ['Algebra'] }),
  externalId: Nullable(Type.String({ description: 'ID of the room in another system', examples: ['course-42'] })),
}
const member = { userId: Id('User'), role: SpaceRole }
const role = { userId: Id('User'), role: RoomRole }

export const events = {
  call_started: event('call_started', 'The first participant joined', call),
  call_finished: event('call_finished', 'The last participant left, or a moderator ended the call', call),
  participant_joined: event('participant_joined', 'Someone joined a call', { ...call, ...participant }),
  participant_left: event('participant_left', 'Someone left a call', { ...call, ...participant }),
  participant_waiting: event('participant_waiting', 'Someone began to wait until a moderator admits them', {
    ...room,
    participantId: Id('Participant they join as when admitted'),
    name: Name,
    ...known,
  }),
  hand_raised: event('hand_raised', 'Someone in a call raised their hand', {
    ...call,
    participantId: Id('Participant. With several tabs or devices, the one that joined first'),
    name: Name,
    role: ParticipantRole,
    ...known,
  }),
  message_posted: event(
    'message_posted',
    'Someone wrote a chat message to everyone. Messages to the hosts are not sent',
    {
      ...call,
      messageId: Id('Message'),
      participantId: Nullable(Id('Participant; null if they are not in the call')),
      name: Name,
      text: Type.String({ examples: ['Good evening!'] }),
      ...known,
    },
  ),
  link_redeemed: event('link_redeemed', 'Someone used a guest link', {
    ...room,
    linkId: Id('Guest link'),
    name: Type.String({ description: 'Name of the guest', examples: ['Grace Hopper'] }),
    externalUserId: known.externalUserId,
  }),
  record_started: event('record_started', 'A call is being recorded', record),
  record_finished: event('record_finished', 'The recording can be downloaded', record),
  record_aborted: event(
    'record_aborted',
    'The recording was cut short, and what was recorded until then can be downloaded, if there is any',
    record,
  ),
  record_failed: event('record_failed', 'The call could not be recorded, or not to the end', record),
  room_created: event('room_created', 'A room was created', { ...room, ...named }),
  room_updated: event(
    'room_updated',
    'A room was changed: by someone, by the end of a call that unlocks it, or because its creator left the space',
    {
      ...room,
      ...named,
      fields: Type.String({ description: 'What changed, separated by commas', examples: ['isLocked,name'] }),
    },
  ),
  room_deleted: event(
    'room_deleted',
    'A room was deleted. Its roles end with it, without events of their own. Deleting a space deletes its webhook, so nothing is sent',
    { ...room, ...named },
  ),
  role_granted: event('role_granted', 'Someone was given a room role, or another than they had', { ...room, ...role }),
  role_revoked: event('role_revoked', 'A room role ended: revoked, or with the membership or account of its user', {
    ...room,
    ...role,
  }),
  member_joined: event('member_joined', 'Someone became a member of the space', { ...space, ...member }),
  member_role_changed: event(
    'member_role_changed',
    'The role of a member changed: set by the owner, raised by an invite, or with the ownership of the space',
    { ...space, ...member },
  ),
  member_left: event('member_left', 'Someone left the space, was removed from it, or their account was deleted', {
    ...space,
    ...member,
  }),
}

/** Sent by `testWebhook`, whatever the webhook is subscribed to. */
export const testEvent = event('webhook_test', 'A test', space)

export type EventName = keyof typeof events
type EventBodies = { [N in EventName]: Static<(typeof events)[N]> }
export type EventBodyOf<N extends EventName> = EventBodies[N]
export type TestEventBody = Static<typeof testEvent>
export type EventBody = EventBodies[EventName]

/** Events sent by default. */
export const defaultEvents: EventName[] = ['call_started', 'call_finished']
