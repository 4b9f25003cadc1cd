/*
 * Node's own HTTP. With `import` all that it exports is looked at, which loads Node's fetch and WebSocket as well: three
 * megabytes and a twentieth of the start, for an installation that uses neither.
 */
export const { request: requestHttp, STATUS_CODES } = process.getBuiltinModule('node:http')
export const { request: requestHttps } = process.getBuiltinModule('node:https')
