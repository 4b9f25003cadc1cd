import Type, { type Static } from 'typebox'

/**
 * The closed list of error codes: what a caller may branch on. Each has one status and one title; the `detail` of an
 * answer says what happened in the case at hand.
 */
export const errorCodes = {
  malformed_body: [400, 'The body cannot be read'],
  invalid_request: [400, 'The request is not valid'],
  name_required: [400, 'A name is required'],
  captcha_required: [400, 'A captcha is required'],
  address_not_allowed: [400, 'The address is not allowed'],
  captcha_failed: [400, 'The captcha was not accepted'],
  token_required: [401, 'An access token is required'],
  token_invalid: [401, 'The access token is not valid'],
  credentials_invalid: [401, 'The sign-in is not right'],
  user_token_required: [403, 'A user token is required'],
  not_allowed: [403, 'Not allowed'],
  invite_required: [403, 'An invite to the space is required'],
  role_required: [403, 'A role in the room is required'],
  plan_required: [403, 'An active Team or Business plan is required'],
  removed: [403, 'You have been removed from the room'],
  chat_off: [403, 'The chat of this room is off'],
  cross_site_request: [403, 'Cross-site request refused'],
  not_found: [404, 'Not found'],
  no_call: [404, 'No call is going on'],
  email_taken: [409, 'The e-mail address is taken'],
  username_taken: [409, 'The username is taken'],
  owns_spaces: [409, 'The user still owns spaces'],
  last_operator: [409, 'The last operator stays'],
  not_a_member: [409, 'Not a member of the space'],
  webhook_exists: [409, 'The space has a webhook already'],
  webhook_inactive: [409, 'The webhook is not active'],
  call_ended: [409, 'The call has been ended'],
  idempotency_in_progress: [409, 'A request with this key is still running'],
  invite_used: [410, 'The invite has been used'],
  invite_revoked: [410, 'The invite has been revoked'],
  link_used: [410, 'The link has been used'],
  link_expired: [410, 'The link has expired'],
  link_revoked: [410, 'The link has been revoked'],
  body_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'The content type is not supported'],
  idempotency_mismatch: [422, 'The idempotency key belongs to another request'],
  rate_limited: [429, 'Too many requests'],
  internal: [500, 'Something went wrong on our side'],
  media_off: [503, 'There is no media engine'],
  media_starting: [503, 'The media engine is not ready yet'],
  unavailable: [503, 'The service is not available right now'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ErrorCode = keyof typeof errorCodes

const codes = Object.keys(errorCodes) as ErrorCode[]

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
    code: Type.Unsafe<ErrorCode>(Type.String({ enum: codes, description: 'One of a closed list' })),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'JSON pointer to the value' }),
          message: Type.String(),
        }),
      ),
    ),
  },
  { title: 'Problem' },
)
export type Problem = Static<typeof Problem>
