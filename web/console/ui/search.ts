import { useSearchParams } from 'react-router'

/** A filter in the address, so that it can be passed on and survives a reload. */
export const useSearchFilter = <Name extends string>() => {
  const [search, setSearch] = useSearchParams()
  const set = (name: Name, value: string) =>
    setSearch(
      before => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      },
      { replace: true, preventScrollReset: true },
    )
  return [(name: Name) => search.get(name), set] as const
}
