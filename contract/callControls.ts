import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Line, Nullable, WithDefault } from './common.ts'
import { operation } from './operation.ts'
import { joinErrors } from './refusals.ts'

export const SpotlightSource = Type.Unsafe<'camera' | 'screen'>(
  Type.String({
    enum: ['camera', 'screen'],
    description: 'What of them is shown large',
    examples: ['camera'],
  }),
)
export type SpotlightSource = Static<typeof SpotlightSource>

export const Spotlight = Type.Object(
  { participantId: Id('Participant'), source: SpotlightSource },
  { title: 'Spotlight', description: 'Shown large to everyone' },
)
export type Spotlight = Static<typeof Spotlight>

export const reactions = ['thumbs_up', 'clap', 'heart', 'laugh', 'surprise', 'party'] as const
export const Reaction = Type.Unsafe<(typeof reactions)[number]>(
  Type.String({ enum: [...reactions], examples: ['clap'] }),
)
export type Reaction = Static<typeof Reaction>

const call = '/v1/spaces/:spaceId/rooms/:roomId/call'
const inCall = { tag: 'Calls', tokens: ['user', 'guest'], answer: Empty } as const

/** What moderators and participants do in a live call beside speaking. */
export const callControls = {
  lowerHand: operation({
    ...inCall,
    method: 'PUT',
    path: `${call}/participants/:participantId/hand`,
    scope: 'calls:write',
    summary: 'Lower a participant’s hand',
    description: 'Requires a moderator. Only the participant can raise it.',
    body: Type.Object({ raised: Type.Unsafe<false>(Type.Boolean({ enum: [false], examples: [false] })) }, closed),
    errors: ['no_call'],
  }),
  lowerAllHands: operation({
    ...inCall,
    method: 'POST',
    path: `${call}/hands/lower`,
    scope: 'calls:write',
    summary: 'Lower all hands',
    description: 'Requires a moderator.',
    body: Empty,
    errors: ['no_call'],
  }),
  returnFloor: operation({
    ...inCall,
    method: 'DELETE',
    path: `${call}/floor`,
    scope: 'calls:write',
    summary: 'Give the floor back',
    description: 'A webinar viewer who was invited to speak becomes a viewer again.',
    errors: [...joinErrors, 'no_call'],
  }),
  setSpotlight: operation({
    ...inCall,
    method: 'PUT',
    path: `${call}/spotlight`,
    scope: 'calls:write',
    summary: 'Spotlight a participant',
    description:
      'Requires a moderator. Shows a participant’s camera or screen large to everyone, until it is set to null, the ' +
      'participant leaves or the call ends.',
    body: Type.Object(
      {
        participantId: Nullable(Id('Participant; null ends the spotlight')),
        source: WithDefault(SpotlightSource, 'camera'),
      },
      { ...closed, examples: [{ participantId: '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10', source: 'screen' }] },
    ),
    errors: ['no_call'],
  }),
  sendReaction: operation({
    ...inCall,
    method: 'POST',
    path: `${call}/reactions`,
    scope: 'calls:write',
    summary: 'Send a reaction',
    description:
      'Sent to everyone in the call over the media connection with the topic `reactions` and ' +
      '`{"type":"reactions","items":[{"participantId":"…","reaction":"clap"}]}`; not stored. Limit: 20 in 10 seconds ' +
      'per person. Returns 409 `not_in_call` if you are not in the call.',
    body: Type.Object({ reaction: Reaction }, closed),
    errors: [...joinErrors, 'no_call', 'not_in_call'],
  }),
  setCallName: operation({
    ...inCall,
    method: 'PUT',
    path: `${call}/name`,
    scope: 'calls:write',
    summary: 'Change your name in the call',
    description:
      'For everyone in the call, in chat messages from now on and in attendance, until the call ends. Returns 403 ' +
      '`renaming_off` if the room doesn’t allow it and 409 `not_in_call` if you are not in the call.',
    body: Type.Object({ name: Line(100, { description: 'Name shown to others', examples: ['Ann Lee'] }) }, closed),
    errors: [...joinErrors, 'no_call', 'not_in_call', 'renaming_off'],
  }),
}
