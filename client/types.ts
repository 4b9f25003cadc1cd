import type { EventBody, TestEventBody } from '../contract/events.ts'
import type { Answer, Body, Operation, PathParams, Query } from '../contract/operation.ts'
import type { OperationName, Operations } from '../contract/operations.ts'

/* What the client knows of the contract. In the package, these are types without schemas behind them (build.ts). */

export type { ErrorCode, FieldError, Problem, RuleName } from '../contract/errors.ts'
export type { Scope } from '../contract/scopes.ts'
export type { Tokens } from '../contract/tokens.ts'

/** Sent with the content type that it has. */
type Uploaded<O extends Operation> = O extends { upload: readonly string[] } ? { file: Blob } : unknown

/** By operationId: path, query and body in one object, since their names never collide. */
export type Inputs = {
  [K in OperationName]: PathParams<Operations[K]['path']> &
    Query<Operations[K]> &
    Body<Operations[K]> &
    Uploaded<Operations[K]>
}

export type Answers = { [K in OperationName]: Answer<Operations[K]> }

/** What a webhook is told, by its `eventName`. A later release may send events and fields that are not here. */
export type WebhookEvent = EventBody | TestEventBody
