import { createInstance } from 'i18next'
import { expect, test } from 'vitest'
import type { Attempt, DeliveryState } from '../../contract/webhooks.ts'
import { stateWords } from '../../web/console/webhook/words.ts'
import english from '../../web/messages/en/webhook.ts'

const i18n = createInstance()
await i18n.init({ lng: 'en', keySeparator: false, resources: { en: { translation: english } } })

const attempts = (...outcomes: Attempt['outcome'][]): Attempt[] =>
  outcomes.map((outcome, index) => ({
    number: index + 1,
    at: '2026-01-31T09:30:00.000Z',
    status: null,
    durationMs: null,
    outcome,
    reason: null,
    detail: null,
  }))

test.each<[DeliveryState, Attempt['outcome'][], string]>([
  ['pending', [], 'Pending'],
  ['pending', ['sending'], 'Pending'],
  ['pending', ['status'], 'Retrying (2 of 3)'],
  ['pending', ['status', 'sending'], 'Retrying (2 of 3)'],
  ['pending', ['timeout', 'interrupted'], 'Retrying (3 of 3)'],
  ['delivered', ['status', 'success'], 'Delivered'],
  ['failed', ['status', 'status', 'status'], 'Failed'],
  ['cancelled', ['status'], 'Cancelled'],
])('a delivery that is %s after %j is shown as %s', (state, outcomes, words) => {
  expect(stateWords({ state, attempts: attempts(...outcomes) }, i18n.t)).toBe(words)
})
