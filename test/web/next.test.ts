import { beforeAll, expect, test, vi } from 'vitest'
import { isConsolePath, safeNext, signInPath } from '../../web/console/shell/next.ts'
import { redirectTricks } from './support/tricks.ts'

const here = new URL('http://localhost:8080/sign-in')

beforeAll(() => {
  vi.stubGlobal('location', here)
  return () => vi.unstubAllGlobals()
})

/** As a browser follows it, whether the router or the address bar is given it. */
const followed = (path: string) => new URL(path, here)

test.each(redirectTricks)('%j leads nowhere but to the spaces', next => {
  expect(safeNext(next)).toBe('/spaces')
})

test.each([
  ['/account?from=elsewhere', '/account?from=elsewhere'],
  ['/room/abc-defg-hjk', '/room/abc-defg-hjk'],
  ['/spaces/1/rooms/2#roles', '/spaces/1/rooms/2#roles'],
  // What only looks like a way out stays a path, a query or a fragment of ours.
  ['/%2f%2fevil.example', '/%2f%2fevil.example'],
  ['/%5cevil.example', '/%5cevil.example'],
  ['/%09/evil.example', '/%09/evil.example'],
  ['/@evil.example', '/@evil.example'],
  ['/evil.example', '/evil.example'],
  ['/spaces//evil.example', '/spaces//evil.example'],
  ['/spaces?next=//evil.example', '/spaces?next=//evil.example'],
  ['/spaces#//evil.example', '/spaces#//evil.example'],
  ['/javascript:alert(1)', '/javascript:alert(1)'],
])('%j is a page of ours', (next, path) => {
  expect(safeNext(next)).toBe(path)
  expect(followed(path).origin).toBe(here.origin)
})

test('whatever is made of the known tricks, what comes of it is of this origin', () => {
  const pieces = ['/', '\\', '.', '..', '%2e', '%2f', '%5c', '\t', '\n', '@', ':', '?', '#', 'http:', 'x']
  const made = pieces.flatMap(a => pieces.flatMap(b => pieces.flatMap(c => pieces.map(d => a + b + c + d))))
  const leads = made.map(piece => [piece, safeNext(`/${piece}evil.example`)] as const)
  expect(leads.length).toBe(pieces.length ** 4)
  expect(
    leads.filter(([, path]) => {
      const { origin, pathname, search, hash } = followed(path)
      // And the router means the same page by it as the browser.
      return origin !== here.origin || pathname + search + hash !== path
    }),
  ).toEqual([])
})

test('the sign-in leads back to where one was, and a path of another page to that page', () => {
  expect(signInPath(new URL('/spaces', here))).toBe('/sign-in')
  expect(signInPath(new URL('/account?a=b#c', here))).toBe('/sign-in?next=%2Faccount%3Fa%3Db%23c')
  expect(['/', '/spaces/1', '/account'].every(isConsolePath)).toBe(true)
  expect(['/room/abc', '//spaces', '/docs'].some(isConsolePath)).toBe(false)
})
