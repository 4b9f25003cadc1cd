import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useSearchFilter } from './search.ts'

/** What is searched for on this page, as the address has it. */
export const useSearch = () => useSearchFilter<'q'>()[0]('q') ?? ''

/** Finds names by how they begin, while one types. */
export const SearchBox = ({ label }: { label: string }) => {
  const [get, set] = useSearchFilter<'q'>()
  const [text, setText] = useState(get('q') ?? '')
  const [wanted] = useDebouncedValue(text.trim(), 250)
  const current = get('q') ?? ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (wanted !== current) set('q', wanted)
  }, [wanted])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came with the address is shown once
  useEffect(() => {
    if (current !== wanted) setText(current)
  }, [current])
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={200}
      value={text}
      onChange={event => setText(event.currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      w="100%"
      maw={360}
    />
  )
}
