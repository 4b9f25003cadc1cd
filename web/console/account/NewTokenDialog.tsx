import { NativeSelect, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { areas, type Scope } from '../../../contract/scopes.ts'
import { createToken } from '../data/tokens.ts'
import { Choices } from '../ui/Choices.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, requiredText, textOf } from '../ui/Form.tsx'

const DAY_MS = 24 * 60 * 60 * 1000
const lifetimes = [30, 90, 365]
const levels = ['none', 'read', 'write'] as const

const scopesOf = (fields: FormData) =>
  areas.flatMap((area): Scope[] => {
    const level = textOf(fields, area)
    return level === 'read' || level === 'write' ? [`${area}:${level}`] : []
  })

interface NewTokenProps {
  onClose: () => void
  onCreated: (token: string) => void
}

export const NewTokenDialog = ({ opened, ...props }: NewTokenProps & { opened: boolean }) => {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={props.onClose} title={t('tokens.create')}>
      <NewTokenForm {...props} />
    </Dialog>
  )
}

/** Goes with the dialog, so that each opening starts anew. */
const NewTokenForm = ({ onClose, onCreated }: NewTokenProps) => {
  const { t } = useTranslation()
  const [access, setAccess] = useState<'all' | 'some'>('all')
  const send = async (fields: FormData) => {
    const days = Number(textOf(fields, 'days') ?? 0)
    const { token } = await createToken({
      name: requiredText(fields, 'name'),
      expiresAt: days > 0 ? new Date(Date.now() + days * DAY_MS).toISOString() : null,
      ...(access === 'some' && { scopes: scopesOf(fields) }),
    })
    onCreated(token)
  }
  return (
    <Form submitLabel={t('tokens.create.submit')} send={send} onCancel={onClose}>
      {errorAt => (
        <>
          <TextInput
            name="name"
            label={t('name')}
            description={t('tokens.name.text')}
            placeholder={t('clients.name.example')}
            required
            maxLength={200}
            data-autofocus
            error={errorAt('name')}
          />
          <Select
            name="days"
            label={t('tokens.expires')}
            defaultValue="90"
            allowDeselect={false}
            data={[
              ...lifetimes.map(days => ({ value: String(days), label: t('tokens.expires.days', { count: days }) })),
              { value: '0', label: t('tokens.expires.never') },
            ]}
            error={errorAt('expiresAt')}
          />
          <Choices
            label={t('tokens.scopes')}
            values={['all', 'some'] as const}
            keyOf={value => `tokens.scopes.${value}`}
            value={access}
            onChange={setAccess}
            error={errorAt('scopes')}
          />
          {access === 'some' && (
            <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs">
              {areas.map(area => (
                <NativeSelect
                  key={area}
                  name={area}
                  size="xs"
                  label={t(`tokens.area.${area}`)}
                  data={levels.map(value => ({ value, label: t(`tokens.level.${value}`) }))}
                />
              ))}
            </SimpleGrid>
          )}
        </>
      )}
    </Form>
  )
}
