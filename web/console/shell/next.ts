const HOME = '/spaces'

/** Where to go after signing in: a path of this origin and nothing else. */
export const safeNext = (next: string | null): string => {
  if (!next?.startsWith('/') || !URL.canParse(next, location.origin)) return HOME
  const { origin, pathname, search, hash } = new URL(next, location.origin)
  // A path of ours can still begin like the address of another site: /.//evil.example has the path //evil.example.
  return origin === location.origin && !pathname.startsWith('//') ? pathname + search + hash : HOME
}

/** The sign-in that leads back to where one is. */
export const signInPath = ({ pathname, search, hash }: { pathname: string; search: string; hash: string }) => {
  const here = pathname + search + hash
  return here === '/' || here === HOME ? '/sign-in' : `/sign-in?${new URLSearchParams({ next: here })}`
}

/** Pages that are not the console's, such as the room's, need a load of their own. */
export const isConsolePath = (path: string) => /^\/($|sign-in|invite|account|clients|tokens|spaces|operator)/.test(path)
