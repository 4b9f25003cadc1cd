import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ConfigError } from '../config.ts'
import { CLOCK_SQL } from '../store/health.ts'
import { createClock } from './clock.ts'
import type { Cluster, ClusterOptions, Listener } from './cluster.ts'
import { type Envelope, NOTICES, publish } from './notices.ts'
import { conflict, connectionName, differences, isNode } from './settings.ts'

/** How often the clock is compared, the lead sought, and a lost connection opened again. */
const BEAT_MS = 2000
/** An answer that takes longer is not coming. */
const ANSWER_WITHIN_MS = 4000
/** How long a node that has just died may still seem to run. */
const GONE_WITHIN_MS = 10_000
/** How long a lead that cannot do its work lets others try. */
const REST_MS = 3 * BEAT_MS
const LEAD_LOCK = 5_327_161
const JOIN_LOCK = 5_327_162

/** The server lets go of a machine that has vanished, and with it of the lead, within eight seconds. */
const session = `
  set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2;
  set tcp_user_timeout = 8000;
  listen ${NOTICES}
`

const reasons = {
  own_engine:
    'Another node is running on this database, and one of the two runs a media engine of its own, which only its own participants could join. Set LECTERN_LIVEKIT_URL to the same LiveKit on every node, or stop the other node.',
  other_engine:
    'Another node on this database uses another LiveKit, or is set to LECTERN_MEDIA=off. Set LECTERN_MEDIA, LECTERN_LIVEKIT_URL, LECTERN_LIVEKIT_API_KEY and LECTERN_LIVEKIT_API_SECRET to the same values on every node.',
}

/** One connection carries it all: while it stands, the node is seen, hears notices and may be the lead. */
export const joinNodes = async (address: string, { config, keys, log }: ClusterOptions): Promise<Cluster> => {
  const id = randomUUID()
  const name = connectionName(config, keys)
  const clock = createClock()
  let client: pg.Client | undefined
  let listener: Listener | undefined
  let isLead = false
  let hasLeft = false
  let hasResigned = false
  let restsUntil = 0

  const hear = (payload = '') => {
    try {
      const { from, notice } = JSON.parse(payload) as Envelope
      if (from !== id) listener?.onNotice(notice)
    } catch (error) {
      // A node of another release may say what this one does not know.
      log.warn({ err: error }, 'a notice of another node was not understood')
      listener?.onMissed()
    }
  }

  const connect = async () => {
    const fresh = new pg.Client({
      connectionString: address,
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
      keepAlive: true,
    })
    fresh.on('error', () => lose(fresh))
    fresh.on('end', () => lose(fresh))
    fresh.on('notification', ({ payload }) => hear(payload))
    try {
      await fresh.connect()
      await fresh.query(session)
    } catch (error) {
      close(fresh)
      throw error
    }
    if (hasLeft) close(fresh)
    else client = fresh
    return fresh
  }

  // What is broken may never say goodbye.
  const close = (gone: pg.Client) => void gone.end().catch(() => {})

  const lose = (gone: pg.Client) => {
    if (client !== gone) return
    client = undefined
    isLead = false
    close(gone)
  }

  // Not with the connection: what an operator has written into the address would count.
  const setName = (on: pg.Client) => on.query(`select set_config('application_name', $1, false)`, [name])

  /** Takes the name of a node, unless it does not fit in with those that run: then gives why. One joins at a time. */
  const takeName = async (on: pg.Client): Promise<keyof typeof reasons | null> => {
    await on.query('begin')
    try {
      await on.query('select pg_advisory_xact_lock($1)', [JOIN_LOCK])
      const { rows } = await on.query<{ name: string }>(
        'select application_name as name from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      )
      const running = rows.map(({ name }) => name).filter(isNode)
      const misfit = running.map(other => conflict(name, other)).find(found => found !== null)
      if (misfit) return misfit
      await setName(on)
      const differing = new Set(running.flatMap(other => differences(name, other)))
      if (differing.size > 0) log.warn(`These settings are not the same on every node: ${[...differing].join(', ')}.`)
      return null
    } finally {
      await on.query('commit')
    }
  }

  /** After a lost connection. Whoever has begun meanwhile may not fit, which is only told: this node serves already. */
  const takeNameAgain = async (on: pg.Client) => {
    const misfit = await takeName(on)
    if (!misfit) return
    await setName(on)
    log.error(reasons[misfit])
  }

  const giveLeadAway = async (on: pg.Client) => {
    isLead = false
    // The only one it may have; PostgreSQL warns of a lock that is not held.
    await on.query('select pg_advisory_unlock_all()')
  }

  const seekLead = async (current: pg.Client) => {
    if (isLead && listener?.canLead() === false) {
      restsUntil = performance.now() + REST_MS
      await giveLeadAway(current)
    }
    if (isLead || hasResigned || performance.now() < restsUntil) return
    const { rows } = await current.query('select pg_try_advisory_lock($1) as locked', [LEAD_LOCK])
    isLead = rows[0].locked && client === current && !hasResigned
    if (isLead) log.info('this node reconciles calls and cleans up for all')
  }

  const beat = async () => {
    const wasLost = !client
    const current = client ?? (await connect())
    try {
      if (wasLost) await takeNameAgain(current)
      await clock.set(async () => {
        const { rows } = await current.query(`select ${CLOCK_SQL} as time`)
        return Number(rows[0].time)
      })
      await seekLead(current)
      if (wasLost) listener?.onMissed()
    } catch (error) {
      lose(current)
      throw error
    }
  }

  /** For a while a node that was killed, or is stopping, may still be listed. */
  const requireFit = async (on: pg.Client) => {
    const deadline = performance.now() + GONE_WITHIN_MS
    for (;;) {
      const misfit = await takeName(on)
      if (!misfit) return
      if (performance.now() > deadline) throw new ConfigError(reasons[misfit])
      await sleep(200)
    }
  }

  const leave = async () => {
    hasLeft = true
    clearTimeout(timer)
    const last = client
    client = undefined
    isLead = false
    await last?.end().catch(() => {})
  }

  let timer: NodeJS.Timeout | undefined
  let isFailing = false
  const beatOn = () => {
    timer = setTimeout(async () => {
      try {
        await beat()
        isFailing = false
      } catch (error) {
        if (!isFailing && !hasLeft) log.warn({ err: error }, 'the connection between nodes was lost; retrying')
        isFailing = true
      }
      if (!hasLeft) beatOn()
    }, BEAT_MS)
  }

  try {
    await requireFit(await connect())
    await beat()
  } catch (error) {
    await leave()
    throw error
  }
  beatOn()

  return {
    now: clock.now,
    isLead: () => isLead,
    publish: (trx, notice) => publish(trx, notice, id),
    listen(to) {
      listener = to
    },
    async resign() {
      hasResigned = true
      // Else it goes with the connection.
      if (client) await giveLeadAway(client).catch(() => {})
    },
    leave,
  }
}
