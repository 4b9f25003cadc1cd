import { Anchor, Button, Group, Paper, Stack, Text, ThemeIcon } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { kept } from '../../ui/storage.ts'
import { useFirstSteps } from '../data/firstSteps.ts'
import classes from './Onboarding.module.css'

const KEY = 'lectern.firstSteps'

/** The way to the first lesson, for who begins with nothing. It goes once they are there, or don't want it. */
export const Onboarding = () => {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const [isHidden, setHidden] = useState(() => kept.get(KEY) === 'hidden')
  const steps = useFirstSteps(!isHidden)
  if (isHidden || !steps) return null
  const next = steps.findIndex(({ isDone }) => !isDone)
  const hide = () => {
    kept.set(KEY, 'hidden')
    setHidden(true)
  }
  return (
    <Paper withBorder p="md" component="section" aria-label={t('firstSteps.title')}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Text fw={600}>{t('firstSteps.title')}</Text>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={hide}>
            {t('firstSteps.hide')}
          </Button>
        </Group>
        <ol className={classes.steps}>
          {steps.map(({ name, isDone, to }, index) => (
            <li key={name} className={classes.step} aria-current={index === next ? 'step' : undefined}>
              <ThemeIcon
                size={22}
                radius="xl"
                variant={isDone ? 'filled' : index === next ? 'light' : 'default'}
                {...(isDone && { color: 'teal' })}
                aria-hidden
              >
                {isDone ? <IconCheck size={14} /> : <Text size="xs">{index + 1}</Text>}
              </ThemeIcon>
              <Text size="sm" {...(index !== next && { c: 'dimmed' })}>
                {index === next && to !== null && to !== pathname ? (
                  <Anchor component={Link} to={to} inherit>
                    {t(`firstSteps.${name}`)}
                  </Anchor>
                ) : (
                  t(`firstSteps.${name}`)
                )}
                {isDone && <span className={classes.unseen}>{t('firstSteps.done')}</span>}
              </Text>
            </li>
          ))}
        </ol>
      </Stack>
    </Paper>
  )
}
