export { type Client, type ClientOptions, createClient, type Listing, type RequestOptions } from './client.ts'
export { LecternError } from './error.ts'
export type * from './types.ts'
