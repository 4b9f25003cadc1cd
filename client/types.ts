import type { EventBody, TestEventBody } from '../contract/events.ts'
import type { Operation } from '../contract/operation.ts'
import type { Bodies, OperationName, Operations, Params, Queries } from '../contract/operations.ts'

/* What the client knows of the contract. In the package, these are types without schemas behind them (build.ts). */

export type { ErrorCode, FieldError, Problem, RuleName } from '../contract/errors.ts'
export type { Answers } from '../contract/operations.ts'
export type { Scope } from '../contract/scopes.ts'
export type { Tokens } from '../contract/tokens.ts'

/** Sent with the content type that it has. */
type Uploaded<O extends Operation> = O extends { upload: readonly string[] } ? { file: Blob } : unknown

/** By operationId: path, query and body in one object, since their names never collide. */
export type Inputs = {
  [K in OperationName]: Params[K] & Queries[K] & Bodies[K] & Uploaded<Operations[K]>
}

/** What a webhook is told, by its `eventName`. A later release may send events and fields that are not here. */
export type WebhookEvent = EventBody | TestEventBody
