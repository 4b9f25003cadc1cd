import { Code, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Attempt } from '../../../contract/webhooks.ts'
import { exactTime, RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateMark, type Tone } from '../ui/StateMark.tsx'
import classes from './Attempts.module.css'
import { answerOf, outcomeWords } from './words.ts'

const toneOf = ({ outcome }: Attempt): Tone =>
  outcome === 'success' ? 'good' : outcome === 'sending' ? 'busy' : outcome === 'cancelled' ? 'quiet' : 'bad'

/** Each in turn: when, how long it took, what came of it, and what the receiver said. */
export const Attempts = ({ attempts }: { attempts: Attempt[] }) => {
  const { t, i18n } = useTranslation()
  if (attempts.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('delivery.attempts.none')}
      </Text>
    )
  return (
    <ol className={classes.attempts}>
      {attempts.map(attempt => {
        const { number, at, status, durationMs } = attempt
        const answer = answerOf(attempt)
        return (
          <li key={number}>
            <Stack gap={6}>
              <StateMark tone={toneOf(attempt)}>
                <span>
                  <b>{t('delivery.attempt', { number })}</b> · {outcomeWords(attempt, t)}
                </span>
              </StateMark>
              <Text size="sm" c="dimmed" className={classes.facts}>
                {exactTime(at, i18n.language)} (<RelativeTime time={at} />)
                {status !== null && ` · ${t('delivery.status', { status })}`}
                {durationMs !== null && ` · ${t('delivery.duration', { ms: durationMs })}`}
              </Text>
              {answer !== null && (
                <div className={classes.facts}>
                  <Text size="xs" c="dimmed" mb={4}>
                    {t('delivery.answer')}
                  </Text>
                  <Code block className={classes.answer}>
                    {answer}
                  </Code>
                </div>
              )}
            </Stack>
          </li>
        )
      })}
    </ol>
  )
}
