import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Member, useMembers } from '../data/members.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'

interface MemberSelectProps {
  /** Of the field in its form. */
  name: string
  label: string
  /** Who can't be chosen. */
  except: string | null
  error?: string | undefined
  onChoose?: (userId: string) => void
}

/** The username tells apart those who go by the same name. */
const labelOf = ({ displayName, username }: Member) =>
  displayName === username ? username : `${displayName} (${username})`

/** One of the members, found by how the name begins: a space may have thousands. */
export const MemberSelect = ({ name, label, except, error, onChoose }: MemberSelectProps) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const [chosen, setChosen] = useState<Member | null>(null)
  const [text, setText] = useState('')
  const [typed] = useDebouncedValue(text.trim(), 250)
  // What was chosen stands in the field, and is not searched for.
  const q = chosen && typed === labelOf(chosen) ? '' : typed
  const { data, hasNextPage } = useMembers(space.id, { q })
  const members = (data ?? []).filter(({ userId }) => userId !== except)
  return (
    <Select
      name={name}
      label={label}
      data={[
        ...members.map(member => ({ value: member.userId, label: labelOf(member) })),
        ...(hasNextPage ? [{ value: '', label: t('members.more'), disabled: true }] : []),
      ]}
      value={chosen?.userId ?? null}
      onChange={value => {
        setChosen(members.find(({ userId }) => userId === value) ?? null)
        onChoose?.(value ?? '')
      }}
      searchable
      searchValue={text}
      onSearchChange={setText}
      // The service has found them.
      filter={({ options }) => options}
      nothingFoundMessage={data && t('roles.member.none')}
      error={error}
    />
  )
}
