import { publish } from '../cluster/notices.ts'
import { listAllSpaces, setPlan } from '../store/spaces.ts'
import { isoTimeOrNull, isTime } from '../times.ts'
import { print, printAll, untilWords } from './output.ts'
import { change, fail, withStore } from './store.ts'

export const listSpacesCommand = () =>
  withStore(db =>
    printAll(
      cursor => listAllSpaces(db, { limit: 200, cursor }),
      ({ id, name, ownerUsername, plan, planActiveUntil }) => ({
        ...{ id, name, ownerUsername, plan },
        planActiveUntil: isoTimeOrNull(planActiveUntil),
      }),
      ({ id, name, ownerUsername, plan, planActiveUntil }) =>
        `${id}  ${plan}${untilWords(planActiveUntil)}  ${ownerUsername}  ${name}`,
    ),
  )

export const setPlanCommand = (id: string, plan: string, until: string | undefined) =>
  withStore(async db => {
    if (plan !== 'free' && plan !== 'team' && plan !== 'business')
      return fail('The plan must be free, team or business.')
    const time = until === undefined ? null : Date.parse(until)
    if (time !== null && !isTime(time)) fail('--until must be a time like 2027-01-31T00:00:00Z.')
    const space = await change(db, async (trx, { audit, now }) => {
      if (time !== null && time <= now) fail('--until must be in the future. To end the plan now, set it to free.')
      const found = await setPlan(trx, id, plan, time, now)
      if (found?.webhookId) await publish(trx, { type: 'webhook', webhookId: found.webhookId, cut: 'cancel' })
      if (found)
        await audit({
          action: 'plan.set',
          spaceId: id,
          target: { type: 'space', id, name: found.name },
          details: { plan, planActiveUntil: isoTimeOrNull(time) },
        })
      return found
    })
    if (!space) return fail(`Space not found: ${id}. List spaces with: lectern space list`)
    const { planActiveUntil } = space
    print(
      { id, plan: space.plan, planActiveUntil: isoTimeOrNull(planActiveUntil) },
      `${space.plan}${untilWords(planActiveUntil)}`,
    )
  })
