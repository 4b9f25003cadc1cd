import { TextInput } from '@mantine/core'
import type { Ref } from 'react'
import { useTranslation } from 'react-i18next'
import type { RoomAccess } from '../access.ts'

interface NameFieldProps {
  ref: Ref<HTMLInputElement>
  access: RoomAccess
  name: string
  isMissing: boolean
  isReadOnly: boolean
  onChange: (name: string) => void
}

/** What the person is called, to be said by them unless something else says it. */
export const NameField = ({ ref, access, name, isMissing, isReadOnly, onChange }: NameFieldProps) => {
  const { t } = useTranslation()
  const { nameSetBy } = access
  return (
    <TextInput
      ref={ref}
      label={t('lobby.name')}
      description={nameSetBy && t(`lobby.nameSetBy.${nameSetBy}`)}
      placeholder={t('lobby.namePlaceholder')}
      autoComplete="name"
      maxLength={200}
      required
      withAsterisk={false}
      readOnly={nameSetBy !== null || isReadOnly}
      variant={nameSetBy === null ? 'default' : 'unstyled'}
      value={name}
      error={isMissing && t('lobby.nameMissing')}
      onChange={event => onChange(event.currentTarget.value)}
      // Nothing else stands between the link and the room. A phone's keyboard would cover it, though.
      autoFocus={nameSetBy === null && name === '' && matchMedia('(hover: hover)').matches}
    />
  )
}
