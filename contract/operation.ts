import type { Static, TObject, TSchema } from 'typebox'
import type { AuditAction } from './actions.ts'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'

export type TokenKind = 'user' | 'client' | 'guest'

/** One operation of the API: the source of validation, types, documentation and the client's method. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are written `:name`. */
  path: `/${string}`
  tag: string
  summary: string
  description?: string
  /** Accepted kinds of token; if empty, no token is required. */
  tokens: readonly TokenKind[]
  /**
   * What a personal access token must be allowed to do; `any`: every such token will do; null: none will, only a user
   * who has signed in. Stated by every operation that accepts user tokens.
   */
  scope?: Scope | 'any' | null
  /** Also works without a token, and returns less then. */
  tokenOptional?: true
  /** Honours `Idempotency-Key`. */
  idempotent?: true
  /** Honours `Prefer: wait`. */
  waits?: true
  query?: TObject
  body?: TObject
  /** The body is a file of one of these content types, instead of JSON. */
  upload?: readonly string[]
  answer: TSchema
  /** 4xx codes of its own, beside those of any operation of its kind (`refusals.ts`). */
  errors?: readonly ErrorCode[]
  /** Content types it can return instead of JSON. */
  files?: readonly string[]
  /** What it records in the audit log. */
  audit?: readonly AuditAction[]
}

/** Keeps the literal types of the declaration. */
export const operation = <const O extends Operation>(declaration: O): O => declaration

export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown

type Part<O, K extends 'query' | 'body'> = O extends { [P in K]: infer S extends TSchema } ? Static<S> : unknown

export type Query<O extends Operation> = Part<O, 'query'>
export type Body<O extends Operation> = Part<O, 'body'>
/** What it may record in the audit log. */
export type Audited<O extends Operation> = O extends { audit: readonly (infer A extends AuditAction)[] } ? A : never
export type Answer<O extends Operation> = Static<O['answer']>
