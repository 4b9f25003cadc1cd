import { audit } from './audit.ts'
import { bans } from './bans.ts'
import { callControls } from './callControls.ts'
import { calls } from './calls.ts'
import { clients } from './clients.ts'
import { invites } from './invites.ts'
import { links } from './links.ts'
import { members } from './members.ts'
import { messages } from './messages.ts'
import type { Answer, Body, PathParams, Query } from './operation.ts'
import { personalTokens } from './personalTokens.ts'
import { records } from './records.ts'
import { roles } from './roles.ts'
import { rooms } from './rooms.ts'
import { spaces } from './spaces.ts'
import { status } from './status.ts'
import { streams } from './streams.ts'
import { tokens } from './tokens.ts'
import { users } from './users.ts'
import { waiting } from './waiting.ts'
import { webhooks } from './webhooks.ts'

/** Every operation of the API by its operationId. */
export const operations = {
  ...tokens,
  ...users,
  ...clients,
  ...personalTokens,
  ...spaces,
  ...members,
  ...invites,
  ...rooms,
  ...roles,
  ...links,
  ...calls,
  ...waiting,
  ...callControls,
  ...records,
  ...streams,
  ...bans,
  ...messages,
  ...webhooks,
  ...audit,
  ...status,
}

export type Operations = typeof operations
export type OperationName = keyof Operations

/*
 * The types of their parts, by name. Code for every operation looks them up here: to work out a schema's type for an
 * operation that is not known yet takes the compiler seconds.
 */
export type Params = { [K in OperationName]: PathParams<Operations[K]['path']> }
export type Queries = { [K in OperationName]: Query<Operations[K]> }
export type Bodies = { [K in OperationName]: Body<Operations[K]> }
export type Answers = { [K in OperationName]: Answer<Operations[K]> }
