import { useSearchParams } from 'react-router'

/** A filter in the address, so that it can be passed on and survives a reload. */
export const useSearchFilter = <Name extends string>() => {
  const [search, setSearch] = useSearchParams()
  const set = (name: Name, value: string) =>
    setSearch(
      () => {
        // Not what the router hands in: that is of the last render, in which what was just chosen may not be yet.
        const after = new URLSearchParams(window.location.search)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      },
      { replace: true, preventScrollReset: true },
    )
  return [(name: Name) => search.get(name), set] as const
}
