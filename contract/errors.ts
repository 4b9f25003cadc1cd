import Type, { type Static } from 'typebox'
import { OpenEnum } from './common.ts'
import { scopes } from './scopes.ts'

/**
 * The closed list of error codes: what a caller may branch on. Each has one status and one title; the `detail` of an
 * answer says what happened in the case at hand.
 */
export const errorCodes = {
  malformed_body: [400, 'The body cannot be read'],
  invalid_request: [400, 'The request is not valid'],
  name_required: [400, 'A name is required'],
  image_invalid: [400, 'The image can’t be used'],
  captcha_required: [400, 'A captcha is required'],
  address_not_allowed: [400, 'The address is not allowed'],
  captcha_failed: [400, 'The captcha was not accepted'],
  token_required: [401, 'An access token is required'],
  token_invalid: [401, 'The access token is not valid'],
  credentials_invalid: [401, 'Invalid credentials'],
  user_token_required: [403, 'A user token is required'],
  session_required: [403, 'Personal access tokens are not accepted'],
  scope_required: [403, 'The token lacks a scope'],
  not_allowed: [403, 'Not allowed'],
  invite_required: [403, 'An invite to the space is required'],
  role_required: [403, 'A role in the room is required'],
  plan_required: [403, 'An active Team or Business plan is required'],
  direct_members_off: [403, 'Adding members without an invite is off'],
  removed: [403, 'You have been removed from the room'],
  not_admitted: [403, 'A moderator has to let you in first'],
  denied: [403, 'A moderator did not let you in'],
  room_locked: [403, 'The room is locked'],
  chat_off: [403, 'The chat of this room is off'],
  hands_off: [403, 'Raising hands is off in this room'],
  renaming_off: [403, 'Changing names is off in this room'],
  recording_off: [403, 'Recording is off in this room'],
  cross_site_request: [403, 'Cross-site request refused'],
  not_found: [404, 'Not found'],
  no_call: [404, 'No live call'],
  no_stream: [404, 'No live stream'],
  method_not_allowed: [405, 'The method is not supported here'],
  email_taken: [409, 'The email address is taken'],
  username_taken: [409, 'The username is taken'],
  external_id_taken: [409, 'The external ID is taken'],
  owns_spaces: [409, 'The user still owns spaces'],
  last_operator: [409, 'The last operator can’t be deleted'],
  not_a_member: [409, 'Not a member of the space'],
  webhook_exists: [409, 'The space already has a webhook'],
  webhook_inactive: [409, 'The webhook is not active'],
  not_a_question: [409, 'The message is not a question'],
  call_ended: [409, 'The call has been ended'],
  already_in_call: [409, 'You are already in the call'],
  not_in_call: [409, 'You are not in the call'],
  already_recording: [409, 'The call is already being recorded'],
  not_recording: [409, 'The call is not being recorded'],
  already_streaming: [409, 'The call is already being streamed'],
  not_streaming: [409, 'The call is not being streamed'],
  record_not_ready: [409, 'The recording has no file yet'],
  record_quota: [409, 'The storage for recordings is used up'],
  idempotency_in_progress: [409, 'A request with this key is still running'],
  link_not_kept: [409, 'The link was not kept'],
  invite_used: [410, 'The invite has been used'],
  invite_revoked: [410, 'The invite has been revoked'],
  link_used: [410, 'The link has been used'],
  link_expired: [410, 'The link has expired'],
  link_revoked: [410, 'The link has been revoked'],
  stream_ended: [410, 'The live stream has ended'],
  body_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'The content type is not supported'],
  idempotency_mismatch: [422, 'The idempotency key belongs to another request'],
  rate_limited: [429, 'Too many requests'],
  internal: [500, 'Something went wrong on our side'],
  media_off: [503, 'The media engine is off'],
  media_starting: [503, 'The media engine is not ready yet'],
  recorder_off: [503, 'Recording is not set up'],
  recorder_busy: [503, 'No recorder is free'],
  unavailable: [503, 'The service is not available right now'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ErrorCode = keyof typeof errorCodes

/** What can be wrong with a value of a request, and the message of each; `params` say of it what a page needs. */
export const fieldCodes = {
  required: 'is required',
  unknown_field: 'is not a known field',
  wrong_type: 'has the wrong type',
  not_one_of: 'is not an allowed value',
  too_short: 'is too short',
  too_long: 'is too long',
  too_small: 'is too small',
  too_large: 'is too large',
  too_few_items: 'has too few items',
  too_many_items: 'has too many items',
  not_unique: 'has the same item twice',
  pattern: 'has an invalid format',
  email: 'is not an email address',
  url: 'is not an http or https URL',
  time: 'is not a valid date and time',
  in_the_past: 'must be in the future',
  at_sign: 'may contain an @ only if it is the user’s own email address',
  incorrect: 'is incorrect',
  address_not_allowed: 'must point to a public address',
  invalid: 'is not valid',
} as const

export type FieldCode = keyof typeof fieldCodes

/** The rules that answer `not_allowed`, under their names in the service's one file of rules. */
export const ruleNames = [
  'operatorOnly',
  'mayChangePassword',
  'mayReadMetrics',
  'mayChangeSpace',
  'mayCreateRooms',
  'mayListMembers',
  'mayManageInvites',
  'mayManageInvitesFor',
  'mayAddMembers',
  'mayChangeMemberRole',
  'mayRemoveMembers',
  'mayRemoveMember',
  'maySeeAudit',
  'mayManageWebhook',
  'mayJoin',
  'mayChangeRoom',
  'mayDeleteRoom',
  'mayManageRoles',
  'mayGrantRole',
  'mayRevokeRole',
  'mayGenerateAccess',
  'mayRenameGuest',
  'mayModerate',
  'mayWriteToHosts',
  'mayGiveFloor',
  'mayRemoveFromCall',
  'maySeeCalls',
  'maySeeCallsOfSpace',
  'maySeeRecords',
  'mayDeleteRecords',
] as const

export type RuleName = (typeof ruleNames)[number]

export const FieldError = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer to the value' }),
    code: OpenEnum(Object.keys(fieldCodes) as FieldCode[], {
      description: 'What is wrong with it; required: it is missing, or empty where it must not be',
    }),
    params: Type.Object(
      {
        min: Type.Optional(
          Type.Number({
            description: 'too_short: fewest characters. too_few_items: fewest items. too_small: least value',
          }),
        ),
        max: Type.Optional(
          Type.Number({
            description: 'too_long: most characters. too_many_items: most items. too_large: greatest value',
          }),
        ),
        type: Type.Optional(Type.String({ description: 'wrong_type: the type it must have' })),
        values: Type.Optional(Type.Array(Type.String(), { description: 'not_one_of: the allowed values' })),
      },
      { additionalProperties: false },
    ),
    message: Type.String({ description: 'Description in English' }),
  },
  { title: 'FieldError' },
)
export type FieldError = Static<typeof FieldError>

/** RFC 9457, with our `code` and, for a request that is not valid, where it is not. */
export const Problem = Type.Object(
  {
    type: Type.String({
      description: 'A stable name for the kind of problem',
      examples: ['urn:lectern:problem:not_found'],
    }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What happened here, and what to do next' }),
    code: OpenEnum(Object.keys(errorCodes) as ErrorCode[], { description: 'What to branch on' }),
    rule: Type.Optional(OpenEnum(ruleNames, { description: 'With `not_allowed`: the rule that refused' })),
    scope: Type.Optional(OpenEnum(scopes, { description: 'With `scope_required`: the missing scope' })),
    errors: Type.Optional(Type.Array(FieldError)),
  },
  { title: 'Problem' },
)
export type Problem = Static<typeof Problem>
