import { createClient } from '../../client/client.ts'
import { LecternError } from '../../client/error.ts'

let renewing: Promise<boolean> | undefined

/** Gets a new access token by the session's own; false when it has ended. */
export const renewSession = () => {
  renewing ??= fetch('/v1/auth/session/refresh', { method: 'POST', headers: { 'content-type': 'application/json' } })
    .then(({ ok }) => ok)
    .finally(() => {
      renewing = undefined
    })
  return renewing
}

const isAboutSession = (input: RequestInfo | URL) =>
  new URL(input instanceof Request ? input.url : input, location.origin).pathname.startsWith('/v1/auth/')

/** Signed in by cookie: an expired access token is renewed once, by whoever finds it first. */
const fetchWithSession: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  // Signing in says 401 of the password given, which no renewal makes right.
  if (response.status !== 401 || isAboutSession(input)) return response
  return (await renewSession()) ? fetch(input, init) : response
}

/** A page says at once that there were too many requests, and when to try again. */
const here = { baseUrl: location.origin, maxWaitSeconds: 0 }

/** As the person who is signed in to the console. */
export const api = createClient({ ...here, fetch: fetchWithSession })

/** As nobody: without the cookies of a session that may have ended. */
export const anonymousApi = createClient({
  ...here,
  fetch: (input, init) => fetch(input, { ...init, credentials: 'omit' }),
})

/** As a guest: by token, so that it works in a frame without cookies too. */
export const guestApi = (token: string) => createClient({ ...here, token })

export const codeOf = (error: unknown) => (error instanceof LecternError ? error.code : null)
