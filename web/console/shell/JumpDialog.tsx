import { Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Dialog } from '../ui/Dialog.tsx'
import classes from './JumpDialog.module.css'
import { type Target, useTargets } from './jumpTargets.ts'

interface JumpDialogProps {
  opened: boolean
  onClose: () => void
}

/** To a room, a person, a space or a page by a few letters of its name. */
export const JumpDialog = ({ opened, onClose }: JumpDialogProps) => {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={onClose} title={t('jump.title')} yOffset="10dvh" centered={false}>
      <Chooser onChosen={onClose} />
    </Dialog>
  )
}

const Chooser = ({ onChosen }: { onChosen: () => void }) => {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 150)
  const groups = useTargets(q)
  const targets = groups.flatMap(group => group.targets)
  const [chosen, setChosen] = useState(0)
  const active = Math.min(chosen, targets.length - 1)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  })
  const go = async ({ to }: Target) => {
    onChosen()
    await navigate(to)
  }
  const move = (event: KeyboardEvent) => {
    const last = targets.length - 1
    const to = { ArrowDown: active === last ? 0 : active + 1, ArrowUp: active <= 0 ? last : active - 1 }[event.key]
    if (to !== undefined) setChosen(to)
    const target = targets[active]
    if (event.key === 'Enter' && target && !event.nativeEvent.isComposing) void go(target)
    if (to !== undefined || event.key === 'Enter') event.preventDefault()
  }
  return (
    <>
      <TextInput
        role="combobox"
        aria-label={t('jump.title')}
        aria-expanded={targets.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        placeholder={t('jump.placeholder')}
        leftSection={<IconSearch size={16} aria-hidden />}
        maxLength={200}
        autoComplete="off"
        value={text}
        onChange={event => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={move}
        data-autofocus
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('jump.title')} className={classes.list}>
        {groups.map(group => (
          // biome-ignore lint/a11y/useSemanticElements: a part of a listbox, no fields of a form
          <div key={group.name} role="group" aria-label={t(`jump.${group.name}`)}>
            <Text size="xs" fw={600} c="dimmed" px="xs" pt="sm" pb={4} aria-hidden>
              {t(`jump.${group.name}`)}
            </Text>
            {group.targets.map(target => {
              const index = targets.indexOf(target)
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the input has focus and keys
                <div
                  key={`${target.to} ${target.label}`}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  className={classes.option}
                  onClick={() => go(target)}
                  onMouseMove={() => index !== active && setChosen(index)}
                >
                  <span className={classes.label}>{target.label}</span>
                  {target.note !== undefined && <span className={classes.note}>{target.note}</span>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      {targets.length === 0 && (
        <Text size="sm" c="dimmed" p="xs" role="status">
          {t('search.none', { q })}
        </Text>
      )}
    </>
  )
}
