import { useMutation, useQuery } from '@tanstack/react-query'
import type { EventName } from '../../../contract/events.ts'
import type { Answer } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import type { DeliveryState } from '../../../contract/webhooks.ts'
import { api, codeOf } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { tellProblem } from '../ui/notify.ts'
import { queryClient, renew } from './query.ts'

export type Webhook = Answer<Operations['getWebhook']>
export type WebhookHealth = Answer<Operations['getWebhookHealth']>
/** With its body. */
export type DeliveryInFull = Answer<Operations['getDelivery']>

const REFRESH_MS = 4000

/** null: the space has none. */
export const useWebhook = (spaceId: string) =>
  useQuery({
    queryKey: ['webhook', spaceId, 'address'],
    queryFn: () =>
      api.getWebhook({ spaceId }).catch(error => {
        if (codeOf(error) === 'not_found') return null
        throw error
      }),
  })

const healthKey = (spaceId: string) => ['webhook', spaceId, 'health']

/** Kept fresh while it is looked at: the service may switch the webhook off at any time. */
export const useWebhookHealth = (spaceId: string) =>
  useQuery({
    queryKey: healthKey(spaceId),
    queryFn: () => api.getWebhookHealth({ spaceId }),
    refetchInterval: REFRESH_MS,
  })

/** The answer has the secret, which is not to be had again. */
export const createWebhook = async (spaceId: string, url: string) => {
  const created = await api.createWebhook({ spaceId, url })
  await renew('webhook', spaceId)
  return created
}

export const updateWebhook = async (spaceId: string, { url, isActive }: Webhook) => {
  await api.updateWebhook({ spaceId, url, isActive })
  await Promise.all([renew('webhook', spaceId), renew('deliveries', spaceId)])
}

export const deleteWebhook = async (spaceId: string) => {
  await api.deleteWebhook({ spaceId })
  // Of a webhook that is gone nothing more is asked.
  queryClient.removeQueries({ queryKey: healthKey(spaceId) })
  queryClient.removeQueries({ queryKey: eventsKey(spaceId) })
  await Promise.all([renew('webhook', spaceId), renew('deliveries', spaceId)])
}

/** The answer has the new secret. */
export const refreshSecret = (spaceId: string) => api.refreshSecret({ spaceId })

const eventsKey = (spaceId: string) => ['webhook', spaceId, 'events']

export const useWebhookEvents = (spaceId: string) =>
  useQuery({
    queryKey: eventsKey(spaceId),
    queryFn: async () => (await api.getWebhookEvents({ spaceId })).events,
  })

/** Shown at once, and taken back if the service refuses. */
export const useEventsChoice = (spaceId: string) => {
  const queryKey = eventsKey(spaceId)
  return useMutation({
    mutationKey: queryKey,
    // One after the other, so that the last choice is the one that stays.
    scope: { id: queryKey.join(' ') },
    mutationFn: (events: EventName[]) => api.setWebhookEvents({ spaceId, events }),
    async onMutate(events) {
      // First: a reading that is cancelled puts back what it began with.
      await queryClient.cancelQueries({ queryKey })
      queryClient.setQueryData(queryKey, events)
    },
    onError: tellProblem,
    // Between two choices the service knows only the first of them.
    onSettled: () => (queryClient.isMutating({ mutationKey: queryKey }) === 1 ? renew(...queryKey) : undefined),
  })
}

const renewDeliveries = (spaceId: string) => renew('deliveries', spaceId)

export const testWebhook = async (spaceId: string) => {
  const { id } = await api.testWebhook({ spaceId })
  await renewDeliveries(spaceId)
  return id
}

export const redeliver = async (spaceId: string, deliveryId: string) => {
  const { id } = await api.redeliver({ spaceId, deliveryId })
  await renewDeliveries(spaceId)
  return id
}

export interface DeliveryFilter {
  eventName?: string
  state?: DeliveryState
}

export const useDeliveries = (spaceId: string, filter: DeliveryFilter) =>
  usePages(
    ['deliveries', spaceId, filter.eventName ?? '', filter.state ?? ''],
    query => api.listDeliveries({ spaceId, limit: 10, ...filter, ...query }),
    { refetchInterval: REFRESH_MS },
  )

/** Followed until it has ended. */
export const useDelivery = (spaceId: string, deliveryId: string) => {
  const queryKey = ['delivery', spaceId, deliveryId]
  return useQuery({
    queryKey,
    queryFn: async () => {
      const delivery = await api.getDelivery({ spaceId, deliveryId })
      const before = queryClient.getQueryData<DeliveryInFull>(queryKey)
      // The log beside it says the same.
      if (delivery.state !== before?.state || delivery.attempts.length !== before.attempts.length)
        void renewDeliveries(spaceId)
      return delivery
    },
    refetchInterval: ({ state: { data } }) => (data?.state === 'pending' ? 1000 : false),
  })
}
