import { namesForbiddenAddress } from '../delivery/addresses.ts'
import { newSecret } from '../delivery/sign.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { fieldError, notFound, Problem } from '../http/problem.ts'
import { isId } from '../ids.ts'
import { mayManageWebhook, type SpaceStanding } from '../rules.ts'
import { changesOf } from '../store/audit.ts'
import { attemptsOf, findDelivery, listDeliveries, listRetrying } from '../store/deliveries.ts'
import { queueDelivery } from '../store/events.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import type { Db, Row } from '../store/tables.ts'
import {
  blockedReasonOf,
  createWebhook,
  deleteWebhook,
  findWebhook,
  refreshSecret,
  setEvents,
  updateWebhook,
  webhookEvents,
} from '../store/webhooks.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'

/** Path and query of the URL may well be a secret of the receiver. */
const hostOf = (url: string) => new URL(url).host
const targetOf = ({ id, url }: Row<'webhooks'>) => ({ type: 'webhook', id, name: hostOf(url) }) as const

const toWebhook = ({ url, isActive }: Row<'webhooks'>) => ({ url, isActive })

/** Attempts that failed before the last success are no sign of failing now. */
const failingSinceOf = (
  { failingSince, lastSuccessAt }: Row<'webhooks'>,
  retrying: ReturnType<typeof toDelivery>[],
) => {
  const failed = retrying.map(({ attempts: [first] }) => Date.parse(first?.at ?? ''))
  const since = [...(failingSince === null ? [] : [failingSince]), ...failed].filter(at => at > (lastSuccessAt ?? 0))
  return since.length === 0 ? null : Math.min(...since)
}

const toHealth = (webhook: Row<'webhooks'>, rows: RowOf<typeof listDeliveries>[]) => {
  const retrying = rows.map(toDelivery).toSorted((one, other) => other.attempts.length - one.attempts.length)
  return {
    ...toState(webhook),
    failingSince: isoTimeOrNull(failingSinceOf(webhook, retrying)),
    retrying: retrying[0] ?? null,
  }
}

const toState = (webhook: Row<'webhooks'>) => ({
  isActive: webhook.isActive,
  updatedAt: isoTime(webhook.updatedAt ?? webhook.createdAt),
  blockedReason: blockedReasonOf(webhook),
  blockedAt: isoTimeOrNull(webhook.blockedAt),
  lastSuccessAt: isoTimeOrNull(webhook.lastSuccessAt),
  consecutiveFailures: webhook.consecutiveFailures,
})

const toDelivery = (delivery: RowOf<typeof listDeliveries>) => ({
  id: delivery.id,
  eventName: delivery.eventName,
  createdAt: isoTime(delivery.createdAt),
  state: delivery.state,
  attempts: attemptsOf(delivery, delivery.state === 'pending' ? 'sending' : 'interrupted'),
  nextAttemptAt: delivery.lostAt === null ? isoTimeOrNull(delivery.nextAttemptAt) : null,
})

export const webhookRoutes = (serve: Serve, { config, db, deliveries, keys, now }: Context) => {
  const requireWebhook = async (on: Db, spaceId: string) => {
    const webhook = await findWebhook(on, spaceId)
    if (!webhook) throw notFound('webhook')
    return webhook
  }

  const refuseForbidden = (url: string) => {
    if (!config.allowPrivateWebhooks && namesForbiddenAddress(url))
      throw new Problem('address_not_allowed', 'The webhook URL must point to a public address.', {
        errors: [fieldError('/url', 'address_not_allowed')],
      })
  }

  serve('createWebhook', mayManageWebhook, ({ body: { url }, commit }) => {
    refuseForbidden(url)
    return commit(async (trx, at, audit) => {
      const secret = newSecret()
      if (!(await createWebhook(trx, keys, at.space.id, url, secret, now())))
        throw new Problem('webhook_exists', 'This space already has a webhook. Update or delete it instead.')
      await audit({ action: 'webhook.created', target: targetOf(await requireWebhook(trx, at.space.id)) })
      return { url, secret, isActive: true }
    })
  })

  const find = (_params: unknown, at: SpaceStanding) => requireWebhook(db, at.space.id)

  serve(
    'updateWebhook',
    mayManageWebhook,
    ({ body: { url, isActive }, commit }) => {
      refuseForbidden(url)
      return commit(async (trx, at, audit) => {
        const webhook = await requireWebhook(trx, at.space.id)
        await updateWebhook(trx, webhook, url, isActive, now())
        const changes = changesOf(webhook, { url, isActive })
        const details = { ...changes, ...(changes?.url !== undefined && { url: hostOf(url) }) }
        if (changes) await audit({ action: 'webhook.updated', target: targetOf(webhook), details })
        await deliveries.cut(trx, webhook.id, isActive ? 'recall' : 'cancel')
        return { url, isActive }
      })
    },
    { find },
  )

  serve('getWebhook', mayManageWebhook, async ({ at }) => {
    return toWebhook(await requireWebhook(db, at.space.id))
  })

  serve('deleteWebhook', mayManageWebhook, ({ commit }) =>
    commit(async (trx, at, audit) => {
      const webhook = await requireWebhook(trx, at.space.id)
      const { id } = webhook
      await deleteWebhook(trx, id)
      await audit({ action: 'webhook.deleted', target: targetOf(webhook) })
      await deliveries.cut(trx, id, 'cancel')
      return {}
    }),
  )

  serve('refreshSecret', mayManageWebhook, ({ commit }) =>
    commit(async (trx, at, audit) => {
      const webhook = await requireWebhook(trx, at.space.id)
      const secret = newSecret()
      await refreshSecret(trx, keys, webhook, secret, now())
      await audit({ action: 'webhook.secret_refreshed', target: targetOf(webhook) })
      await deliveries.cut(trx, webhook.id, 'recall')
      return { ...toWebhook(webhook), secret }
    }),
  )

  serve('getWebhookEvents', mayManageWebhook, async ({ at }) => ({
    events: webhookEvents(await requireWebhook(db, at.space.id)),
  }))

  serve(
    'setWebhookEvents',
    mayManageWebhook,
    ({ body: { events }, commit }) =>
      commit(async (trx, at, audit) => {
        const webhook = await requireWebhook(trx, at.space.id)
        await setEvents(trx, webhook, events, now())
        const details = changesOf({ events: webhookEvents(webhook).join(', ') }, { events: events.join(', ') })
        if (details) await audit({ action: 'webhook.updated', target: targetOf(webhook), details })
        return { events }
      }),
    { find },
  )

  serve('getWebhookHealth', mayManageWebhook, async ({ at }) => {
    const webhook = await requireWebhook(db, at.space.id)
    return toHealth(webhook, await listRetrying(db, webhook.id))
  })

  const requireActive = (webhook: { isActive: boolean }) => {
    if (!webhook.isActive) throw new Problem('webhook_inactive', 'The webhook is turned off. Turn it on first.')
  }

  serve('testWebhook', mayManageWebhook, ({ commit }) =>
    commit(async (trx, at) => {
      const webhook = await requireWebhook(trx, at.space.id)
      requireActive(webhook)
      const event = { eventName: 'webhook_test', roomId: '', spaceId: at.space.id, occurredAt: isoTime(now()) }
      const delivery = {
        spaceId: at.space.id,
        webhookId: webhook.id,
        eventName: event.eventName,
        body: JSON.stringify(event),
        isManual: true,
      }
      return { id: await queueDelivery(trx, delivery, now(), deliveries.wake) }
    }),
  )

  // The log is the space's: it outlives the webhook.
  serve('listDeliveries', mayManageWebhook, async ({ at, query }) =>
    mapPage(await listDeliveries(db, at.space.id, query), toDelivery),
  )

  serve('getDelivery', mayManageWebhook, async ({ at, params }) => {
    const delivery = isId(params.deliveryId) ? await findDelivery(db, at.space.id, params.deliveryId) : undefined
    if (!delivery) throw notFound('delivery')
    return { ...toDelivery(delivery), body: delivery.body }
  })

  serve('redeliver', mayManageWebhook, ({ params, commit }) =>
    commit(async (trx, at) => {
      const webhook = await requireWebhook(trx, at.space.id)
      const earlier = isId(params.deliveryId) ? await findDelivery(trx, at.space.id, params.deliveryId) : undefined
      if (!earlier) throw notFound('delivery')
      requireActive(webhook)
      const { eventName, body } = earlier
      const delivery = { spaceId: at.space.id, webhookId: webhook.id, eventName, body, isManual: true }
      return { id: await queueDelivery(trx, delivery, now(), deliveries.wake) }
    }),
  )
}
