import { ActionIcon, Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFocusRescueOf } from '../../../ui/focus.ts'
import { initials } from '../../names.ts'
import { useLive } from '../context.ts'
import panelClasses from '../panel.module.css'
import { Section } from './Section.tsx'
import type { WaitingPerson } from './waiting.ts'

const Person = ({ participantId, name }: WaitingPerson) => {
  const { t } = useTranslation()
  const { waiting } = useLive()
  const line = useRef<HTMLLIElement>(null)
  useFocusRescueOf(line)
  return (
    <li ref={line} className={panelClasses.person}>
      <span className={panelClasses.avatar} aria-hidden>
        {initials(name)}
      </span>
      <span className={panelClasses.who}>
        <span className={panelClasses.name}>{name}</span>
      </span>
      <Button
        size="compact-sm"
        aria-label={t('host.waiting.admitName', { name })}
        onClick={() => void waiting.admit(participantId)}
      >
        {t('host.waiting.admit')}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('host.waiting.denyName', { name })}
        onClick={() => void waiting.deny(participantId)}
      >
        <IconX size={18} aria-hidden />
      </ActionIcon>
    </li>
  )
}

/** Who waits to be let in; nothing where nobody does. */
export const Waiting = () => {
  const { t } = useTranslation()
  const { people, hasMore, isLoadingMore, showMore, admitAll } = useLive().waiting
  if (people.length === 0) return null
  return (
    <Section
      title={t(hasMore ? 'host.waiting.titleMany' : 'host.waiting.title', { count: people.length })}
      action={
        people.length > 1 && (
          <Button size="compact-sm" variant="default" onClick={() => void admitAll()}>
            {t('host.waiting.admitAll')}
          </Button>
        )
      }
    >
      <ul className={panelClasses.people}>
        {people.map(person => (
          <Person key={person.participantId} {...person} />
        ))}
        {hasMore && (
          <li>
            <Button variant="subtle" fullWidth loading={isLoadingMore} onClick={showMore}>
              {t('showMore')}
            </Button>
          </li>
        )}
      </ul>
    </Section>
  )
}
