import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isPostgres } from './dialect.ts'
import { createKeyRepair } from './nameKeys.ts'

/*
 * A migration leaves the previous release able to serve: nodes are upgraded in turn while the others go on, and an
 * upgrade can be taken back. So it adds tables, indexes, and columns that may be null or have a default. What the new
 * release has stopped using is dropped by the release after it. test/server/store/migrations.test.ts checks this.
 */

// `bigint` holds milliseconds on PostgreSQL and is an ordinary integer on SQLite.

const first: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db
    await schema
      .createTable('installation')
      .addColumn('name', 'text', c => c.primaryKey())
      .addColumn('value', 'text', c => c.notNull())
      .execute()

    await schema
      .createTable('users')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('email', 'text', c => c.notNull())
      .addColumn('emailKey', 'text', c => c.notNull().unique())
      .addColumn('username', 'text', c => c.notNull())
      .addColumn('usernameKey', 'text', c => c.notNull().unique())
      .addColumn('passwordHash', 'text', c => c.notNull())
      .addColumn('displayName', 'text')
      .addColumn('phone', 'text')
      .addColumn('isOperator', 'integer', c => c.notNull())
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('users_operators').on('users').columns(['isOperator', 'id']).execute()

    await schema
      .createTable('clients')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('userId', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('secretHash', 'text', c => c.notNull())
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('clients_by_user').on('clients').columns(['userId', 'id']).execute()

    await schema
      .createTable('sessions')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('userId', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('kind', 'text', c => c.notNull())
      .addColumn('clientId', 'text', c => c.references('clients.id').onDelete('cascade'))
      .addColumn('userAgent', 'text')
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .addColumn('lastUsedAt', 'bigint', c => c.notNull())
      .addColumn('expiresAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('sessions_by_user').on('sessions').columns(['userId', 'kind', 'id']).execute()
    await schema.createIndex('sessions_by_client').on('sessions').column('clientId').execute()
    await schema.createIndex('sessions_by_expiry').on('sessions').column('expiresAt').execute()

    await schema
      .createTable('refreshTokens')
      .addColumn('hash', 'text', c => c.primaryKey())
      .addColumn('sessionId', 'text', c => c.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('rotatedAt', 'bigint')
      .execute()
    await schema.createIndex('refreshTokens_by_session').on('refreshTokens').column('sessionId').execute()

    await schema
      .createTable('spaces')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('description', 'text')
      .addColumn('logo', 'text')
      .addColumn('isPublic', 'integer', c => c.notNull())
      .addColumn('plan', 'text', c => c.notNull())
      .addColumn('planActiveUntil', 'bigint')
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()

    await schema
      .createTable('members')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('spaceId', 'text', c => c.notNull().references('spaces.id').onDelete('cascade'))
      .addColumn('userId', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('role', 'text', c => c.notNull())
      .addColumn('joinedAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('members_one_each').on('members').columns(['spaceId', 'userId']).unique().execute()
    await schema.createIndex('members_by_space').on('members').columns(['spaceId', 'id']).execute()
    await schema.createIndex('members_by_user').on('members').columns(['userId', 'spaceId']).execute()
    await schema
      .createIndex('members_one_owner')
      .on('members')
      .column('spaceId')
      .unique()
      .where(sql.ref('role'), '=', sql.lit('role_space_owner'))
      .execute()

    await schema
      .createTable('invites')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('hash', 'text', c => c.notNull().unique())
      .addColumn('sealed', 'text', c => c.notNull())
      .addColumn('spaceId', 'text', c => c.notNull().references('spaces.id').onDelete('cascade'))
      .addColumn('role', 'text', c => c.notNull())
      .addColumn('createdBy', 'text', c => c.references('users.id').onDelete('set null'))
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .addColumn('usedAt', 'bigint')
      .addColumn('usedBy', 'text', c => c.references('users.id').onDelete('set null'))
      .addColumn('revokedAt', 'bigint')
      .execute()
    await schema.createIndex('invites_by_space').on('invites').columns(['spaceId', 'id']).execute()
    await schema.createIndex('invites_by_space_and_role').on('invites').columns(['spaceId', 'role', 'id']).execute()
    await schema.createIndex('invites_by_maker').on('invites').columns(['createdBy', 'spaceId']).execute()
    await schema.createIndex('invites_by_user').on('invites').column('usedBy').execute()

    await schema
      .createTable('rooms')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('spaceId', 'text', c => c.notNull().references('spaces.id').onDelete('cascade'))
      .addColumn('alias', 'text', c => c.notNull().unique())
      .addColumn('channelId', 'text', c => c.notNull().unique())
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('type', 'text', c => c.notNull())
      .addColumn('isPublic', 'integer', c => c.notNull())
      .addColumn('isChatAllowed', 'integer', c => c.notNull())
      .addColumn('isScreensharingAllowed', 'integer', c => c.notNull())
      .addColumn('isFloorAllowed', 'integer', c => c.notNull())
      .addColumn('creatorId', 'text', c => c.notNull().references('users.id'))
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('rooms_by_space').on('rooms').columns(['spaceId', 'id']).execute()
    await schema
      .createIndex('rooms_public')
      .on('rooms')
      .columns(['spaceId', 'id'])
      .where(sql.ref('isPublic'), '=', sql.lit(1))
      .execute()
    await schema.createIndex('rooms_by_creator').on('rooms').columns(['creatorId', 'spaceId', 'id']).execute()

    await schema
      .createTable('roomRoles')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('spaceId', 'text', c => c.notNull())
      .addColumn('roomId', 'text', c => c.notNull().references('rooms.id').onDelete('cascade'))
      .addColumn('userId', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('role', 'text', c => c.notNull())
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('roomRoles_one_each').on('roomRoles').columns(['roomId', 'userId']).unique().execute()
    await schema.createIndex('roomRoles_by_room').on('roomRoles').columns(['roomId', 'id']).execute()
    await schema.createIndex('roomRoles_by_user').on('roomRoles').columns(['userId', 'spaceId', 'roomId']).execute()

    await schema
      .createTable('links')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('hash', 'text', c => c.notNull().unique())
      .addColumn('roomId', 'text', c => c.notNull().references('rooms.id').onDelete('cascade'))
      .addColumn('role', 'text', c => c.notNull())
      .addColumn('username', 'text')
      .addColumn('externalUserId', 'text')
      .addColumn('isPermanent', 'integer', c => c.notNull())
      .addColumn('createdBy', 'text', c => c.references('users.id').onDelete('set null'))
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .addColumn('expiresAt', 'bigint', c => c.notNull())
      .addColumn('usedAt', 'bigint')
      .addColumn('revokedAt', 'bigint')
      .execute()
    await schema.createIndex('links_by_room').on('links').columns(['roomId', 'id']).execute()
    await schema.createIndex('links_by_maker').on('links').columns(['createdBy', 'roomId']).execute()

    await schema
      .createTable('guests')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('linkId', 'text', c => c.notNull().references('links.id').onDelete('cascade'))
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .addColumn('expiresAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('guests_by_link').on('guests').column('linkId').execute()
    await schema.createIndex('guests_by_expiry').on('guests').column('expiresAt').execute()

    await schema
      .createTable('idempotency')
      .addColumn('key', 'text', c => c.primaryKey())
      .addColumn('request', 'text', c => c.notNull())
      .addColumn('answer', 'text', c => c.notNull())
      .addColumn('expiresAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('idempotency_by_expiry').on('idempotency').column('expiresAt').execute()
  },
}

const webhooks: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('webhooks')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('spaceId', 'text', c => c.notNull().unique().references('spaces.id').onDelete('cascade'))
      .addColumn('url', 'text', c => c.notNull())
      .addColumn('secret', 'text', c => c.notNull())
      .addColumn('oldSecret', 'text')
      .addColumn('oldSecretUntil', 'bigint')
      .addColumn('isActive', 'integer', c => c.notNull())
      .addColumn('events', 'text', c => c.notNull())
      .addColumn('blockedReason', 'text')
      .addColumn('blockedAt', 'bigint')
      .addColumn('lastSuccessAt', 'bigint')
      .addColumn('consecutiveFailures', 'integer', c => c.notNull())
      .addColumn('failingSince', 'bigint')
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()

    await schema
      .createTable('deliveries')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('spaceId', 'text', c => c.notNull().references('spaces.id').onDelete('cascade'))
      .addColumn('webhookId', 'text', c => c.notNull())
      .addColumn('eventName', 'text', c => c.notNull())
      .addColumn('body', 'text', c => c.notNull())
      .addColumn('isManual', 'integer', c => c.notNull())
      .addColumn('state', 'text', c => c.notNull())
      .addColumn('attemptsMade', 'integer', c => c.notNull())
      .addColumn('attemptTimes', 'text', c => c.notNull())
      .addColumn('attempts', 'text', c => c.notNull())
      .addColumn('nextAttemptAt', 'bigint')
      .addColumn('lostAt', 'bigint')
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    // Only what is pending has a next attempt, so the queue's index stays as small as the queue.
    await schema
      .createIndex('deliveries_queue')
      .on('deliveries')
      .columns(['webhookId', 'nextAttemptAt'])
      .where(sql.ref('nextAttemptAt'), 'is not', null)
      .execute()
    await schema.createIndex('deliveries_by_space').on('deliveries').columns(['spaceId', 'id']).execute()
    // A state is asked for to find what went wrong; what went well has no index to keep in step.
    for (const state of ['failed', 'cancelled'])
      await schema
        .createIndex(`deliveries_${state}`)
        .on('deliveries')
        .columns(['spaceId', 'id'])
        .where(sql.ref('state'), '=', sql.lit(state))
        .execute()
    await schema.createIndex('deliveries_by_event').on('deliveries').columns(['spaceId', 'eventName', 'id']).execute()
  },
}

const calls: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('participants')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('roomId', 'text', c => c.notNull().references('rooms.id').onDelete('cascade'))
      .addColumn('person', 'text', c => c.notNull())
      .addColumn('userId', 'text', c => c.references('users.id').onDelete('cascade'))
      .addColumn('guestId', 'text', c => c.references('guests.id').onDelete('cascade'))
      .addColumn('tabKey', 'text', c => c.notNull())
      .addColumn('externalUserId', 'text')
      .addColumn('handRaisedAt', 'bigint')
      .addColumn('hasFloor', 'integer', c => c.notNull())
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    await schema
      .createIndex('participants_one_each')
      .on('participants')
      .columns(['roomId', 'person', 'tabKey'])
      .unique()
      .execute()
    await schema.createIndex('participants_by_user').on('participants').column('userId').execute()
    await schema.createIndex('participants_by_guest').on('participants').column('guestId').execute()

    await schema
      .createTable('calls')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('spaceId', 'text', c => c.notNull().references('spaces.id').onDelete('cascade'))
      .addColumn('roomId', 'text', c => c.notNull())
      .addColumn('roomName', 'text', c => c.notNull())
      .addColumn('channelId', 'text', c => c.notNull())
      .addColumn('startedAt', 'bigint', c => c.notNull())
      .addColumn('lastSeenAt', 'bigint', c => c.notNull())
      .addColumn('emptySince', 'bigint')
      .addColumn('endedAt', 'bigint')
      .addColumn('wasEnded', 'integer', c => c.notNull())
      .execute()
    await schema.createIndex('calls_by_room').on('calls').columns(['roomId', 'id']).execute()
    await schema.createIndex('calls_by_space').on('calls').columns(['spaceId', 'id']).execute()
    // At most one call goes on in a room; whatever asks for calls going on finds them here.
    await schema
      .createIndex('calls_open')
      .on('calls')
      .columns(['roomId'])
      .unique()
      .where(sql.ref('endedAt'), 'is', null)
      .execute()

    await schema
      .createTable('stints')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('callId', 'text', c => c.notNull().references('calls.id').onDelete('cascade'))
      .addColumn('connectionId', 'text', c => c.notNull().unique())
      .addColumn('participantId', 'text', c => c.notNull())
      .addColumn('userId', 'text', c => c.references('users.id').onDelete('set null'))
      .addColumn('externalUserId', 'text')
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('role', 'text', c => c.notNull())
      .addColumn('joinedAt', 'bigint', c => c.notNull())
      .addColumn('leftAt', 'bigint')
      .execute()
    await schema.createIndex('stints_by_call').on('stints').columns(['callId', 'id']).execute()
    await schema.createIndex('stints_open').on('stints').column('callId').where(sql.ref('leftAt'), 'is', null).execute()
    await schema.createIndex('stints_by_user').on('stints').column('userId').execute()

    await schema
      .createTable('bars')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('roomId', 'text', c => c.notNull().references('rooms.id').onDelete('cascade'))
      .addColumn('person', 'text', c => c.notNull())
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('bars_one_each').on('bars').columns(['roomId', 'person']).unique().execute()

    await schema
      .createTable('messages')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('roomId', 'text', c => c.notNull().references('rooms.id').onDelete('cascade'))
      .addColumn('person', 'text', c => c.notNull())
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('role', 'text', c => c.notNull())
      .addColumn('text', 'text', c => c.notNull())
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('messages_by_room').on('messages').columns(['roomId', 'id']).execute()

    await schema
      .createTable('engineEvents')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('receivedAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('engineEvents_by_time').on('engineEvents').column('receivedAt').execute()
  },
}

const stays: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.createIndex('stints_by_participant').on('stints').column('participantId').execute()
  },
}

const barNames: Migration = {
  async up({ schema }: Kysely<unknown>) {
    // Whoever was removed before this has no name to be listed by.
    await schema
      .alterTable('bars')
      .addColumn('name', 'text', c => c.notNull().defaultTo(''))
      .execute()
    await schema.createIndex('bars_by_room').on('bars').columns(['roomId', 'id']).execute()
  },
}

const closedChannels: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('closedChannels')
      .addColumn('channelId', 'text', c => c.primaryKey())
      .addColumn('closedAt', 'bigint', c => c.notNull())
      .execute()
    await db.schema.createIndex('closedChannels_by_time').on('closedChannels').column('closedAt').execute()
    // Of rooms that are gone already only their calls still tell.
    await sql`insert into "closedChannels" ("channelId", "closedAt") select distinct "channelId", cast(${Date.now()} as bigint) from "calls" where "roomId" not in (select "id" from "rooms")`.execute(
      db,
    )
  },
}

/** By the words that everything else has for them. */
const words: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('bars').renameTo('bans').execute()
    await schema.alterTable('stints').renameTo('stays').execute()
  },
}

const rateLimits: Migration = {
  async up({ schema }: Kysely<unknown>) {
    // In this order: the library that counts writes its rows by it.
    await schema
      .createTable('rateLimits')
      .addColumn('key', 'text', c => c.primaryKey())
      .addColumn('points', 'integer', c => c.notNull())
      .addColumn('expire', 'bigint')
      .execute()
    await schema.createIndex('rateLimits_by_expiry').on('rateLimits').column('expire').execute()
  },
}

const audit: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('audit')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('at', 'bigint', c => c.notNull())
      .addColumn('action', 'text', c => c.notNull())
      .addColumn('actorKind', 'text', c => c.notNull())
      .addColumn('actorId', 'text')
      .addColumn('actorName', 'text', c => c.notNull())
      .addColumn('address', 'text')
      .addColumn('tokenId', 'text')
      .addColumn('spaceId', 'text')
      .addColumn('targetType', 'text', c => c.notNull())
      .addColumn('targetId', 'text', c => c.notNull())
      .addColumn('targetName', 'text')
      .addColumn('details', 'text', c => c.notNull())
      .execute()
    await schema.createIndex('audit_by_space').on('audit').columns(['spaceId', 'id']).execute()
    await schema.createIndex('audit_by_actor').on('audit').columns(['actorId', 'id']).execute()
    await schema.createIndex('audit_by_action').on('audit').columns(['action', 'id']).execute()
  },
}

const largeCalls: Migration = {
  async up({ schema }: Kysely<unknown>) {
    const isInside = sql.ref('leftAt')
    await schema.createIndex('stays_inside').on('stays').columns(['callId', 'id']).where(isInside, 'is', null).execute()
    await schema
      .createIndex('stays_moderators')
      .on('stays')
      .columns(['callId', 'id'])
      .where(isInside, 'is', null)
      .where(sql.ref('role'), '=', sql.lit('moderator'))
      .execute()
    await schema
      .createIndex('participants_hands')
      .on('participants')
      .columns(['roomId', 'handRaisedAt'])
      .where(sql.ref('handRaisedAt'), 'is not', null)
      .execute()
    await schema
      .createIndex('participants_floor')
      .on('participants')
      .column('roomId')
      .where(sql.ref('hasFloor'), '=', sql.lit(1))
      .execute()
  },
}

/**
 * The chat belongs to a call, and stays with it when the room is gone. In a table of its own: the previous release shows
 * whatever is in `messages` to everyone, deletes it with the room, and still writes there.
 */
const callMessages: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db
    await schema
      .createTable('callMessages')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('callId', 'text', c => c.notNull().references('calls.id').onDelete('cascade'))
      .addColumn('person', 'text', c => c.notNull())
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('role', 'text', c => c.notNull())
      .addColumn('text', 'text', c => c.notNull())
      .addColumn('isForHosts', 'integer', c => c.notNull())
      .addColumn('isQuestion', 'integer', c => c.notNull())
      .addColumn('answeredAt', 'bigint')
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    await schema
      .createIndex('callMessages_by_call')
      .on('callMessages')
      .columns(['callId', 'isForHosts', 'id'])
      .execute()
    await schema
      .createIndex('callMessages_private')
      .on('callMessages')
      .columns(['callId', 'isForHosts', 'person', 'id'])
      .where(sql.ref('isForHosts'), '=', sql.lit(1))
      .execute()
    await schema
      .createIndex('callMessages_questions')
      .on('callMessages')
      .columns(['callId', 'isForHosts', 'id'])
      .where(sql.ref('isQuestion'), '=', sql.lit(1))
      .execute()
    // Each to the call it was written in, or to the one before it. What is older than every call still kept stays behind.
    await sql`
      insert into "callMessages"
        ("id", "callId", "person", "name", "role", "text", "isForHosts", "isQuestion", "createdAt")
      select "id", "callId", "person", "name", "role", "text", 0, 0, "createdAt" from (
        select "messages".*, (
          select "calls"."id" from "calls"
          where "calls"."roomId" = "messages"."roomId" and "calls"."startedAt" <= "messages"."createdAt"
          order by "calls"."id" desc limit 1
        ) as "callId" from "messages"
      ) as "written" where "callId" is not null`.execute(db)
  },
}

/** One person may be in a room through several links, tabs and devices. */
const people: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db
    await schema
      .alterTable('participants')
      .addColumn('isReplacing', 'integer', c => c.notNull().defaultTo(0))
      .execute()
    await schema.alterTable('participants').addColumn('replacedAt', 'bigint').execute()
    await schema
      .createIndex('participants_by_external_user')
      .on('participants')
      .columns(['roomId', 'externalUserId'])
      .where(sql.ref('externalUserId'), 'is not', null)
      .execute()

    await schema.alterTable('bans').addColumn('externalUserId', 'text').execute()
    await schema
      .createIndex('bans_by_external_user')
      .on('bans')
      .columns(['roomId', 'externalUserId'])
      .where(sql.ref('externalUserId'), 'is not', null)
      .execute()
    await sql`update "bans" set "externalUserId" = (select "externalUserId" from "links" where "links"."id" = substr("bans"."person", 6)) where "person" like 'link:%'`.execute(
      db,
    )

    await schema.alterTable('stays').addColumn('guestId', 'text').execute()
    await schema.alterTable('stays').addColumn('linkName', 'text').execute()
    await sql`update "stays" set "guestId" = (select "guestId" from "participants" where "participants"."id" = "stays"."participantId") where "userId" is null`.execute(
      db,
    )
  },
}

const waitingRoom: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .alterTable('rooms')
      .addColumn('waitingRoomAudience', 'text', c => c.notNull().defaultTo('nobody'))
      .execute()
    await schema
      .alterTable('rooms')
      .addColumn('isLocked', 'integer', c => c.notNull().defaultTo(0))
      .execute()
    await schema
      .createTable('waiting')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('roomId', 'text', c => c.notNull().references('rooms.id').onDelete('cascade'))
      .addColumn('person', 'text', c => c.notNull())
      .addColumn('participantId', 'text', c => c.notNull())
      .addColumn('tabKey', 'text', c => c.notNull())
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('externalUserId', 'text')
      .addColumn('state', 'text', c => c.notNull())
      .addColumn('since', 'bigint', c => c.notNull())
      .addColumn('seenAt', 'bigint', c => c.notNull())
      .addColumn('decidedAt', 'bigint')
      .execute()
    await schema.createIndex('waiting_one_each').on('waiting').columns(['roomId', 'person']).unique().execute()
    await schema.createIndex('waiting_by_room').on('waiting').columns(['roomId', 'id']).execute()
    await schema.createIndex('waiting_by_participant').on('waiting').columns(['roomId', 'participantId']).execute()
    await schema.createIndex('waiting_by_time').on('waiting').column('seenAt').execute()
  },
}

const hostControls: Migration = {
  async up({ schema }: Kysely<unknown>) {
    const permissions = [
      'isMicrophonePublishingAllowed',
      'isCameraPublishingAllowed',
      'isScreenMediaPublishingAllowed',
      'isHandRaisingAllowed',
      'isSelfRenamingAllowed',
    ]
    for (const permission of permissions)
      await schema
        .alterTable('rooms')
        .addColumn(permission, 'integer', c => c.notNull().defaultTo(1))
        .execute()
    await schema
      .createTable('callNames')
      .addColumn('roomId', 'text', c => c.notNull().references('rooms.id').onDelete('cascade'))
      .addColumn('person', 'text', c => c.notNull())
      .addColumn('name', 'text', c => c.notNull())
      .addPrimaryKeyConstraint('callNames_key', ['roomId', 'person'])
      .execute()
    await schema.alterTable('calls').addColumn('spotlightId', 'text').execute()
    await schema.alterTable('calls').addColumn('spotlightSource', 'text').execute()
  },
}

const linksAndLogos: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db
    await schema.alterTable('links').addColumn('label', 'text').execute()
    await schema.alterTable('links').addColumn('sealed', 'text').execute()

    await schema
      .createTable('linkUses')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('linkId', 'text', c => c.notNull().references('links.id').onDelete('cascade'))
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('usedAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('linkUses_by_link').on('linkUses').columns(['linkId', 'id']).execute()
    // Of earlier uses those are known whose guests still have access.
    await sql`insert into "linkUses" ("id", "linkId", "name", "usedAt") select "id", "linkId", "name", "createdAt" from "guests"`.execute(
      db,
    )

    await schema
      .createTable('logos')
      .addColumn('spaceId', 'text', c => c.primaryKey().references('spaces.id').onDelete('cascade'))
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('type', 'text', c => c.notNull())
      .addColumn('data', 'text', c => c.notNull())
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('logos_by_name').on('logos').column('name').execute()
  },
}

/** Labels of invites, webhooks in trouble, and what names are searched by: `nameKeys.ts`. In byte order on PostgreSQL too, so that a prefix is a range. */
const labelsAndNameKeys: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db
    const keyed = isPostgres(db as never) ? sql`text collate "C"` : 'text'
    for (const table of ['rooms', 'members', 'users'])
      await schema.alterTable(table).addColumn('nameKey', keyed).execute()
    await schema.alterTable('calls').addColumn('roomNameKey', keyed).execute()
    await schema.alterTable('invites').addColumn('label', 'text').execute()
    const repair = createKeyRepair(db)
    while (await repair());
    for (const [name, column] of [
      ['failing', 'failingSince'],
      ['blocked', 'blockedAt'],
    ] as const)
      await schema
        .createIndex(`webhooks_${name}`)
        .on('webhooks')
        .column(column)
        .where(sql.ref(column), 'is not', null)
        .execute()
    await schema.createIndex('rooms_by_name').on('rooms').columns(['spaceId', 'nameKey', 'id']).execute()
    await schema
      .createIndex('rooms_public_by_name')
      .on('rooms')
      .columns(['spaceId', 'nameKey', 'id'])
      .where(sql.ref('isPublic'), '=', sql.lit(1))
      .execute()
    await schema.createIndex('members_by_name').on('members').columns(['spaceId', 'nameKey', 'id']).execute()
    await schema.createIndex('users_by_name').on('users').columns(['nameKey', 'id']).execute()
    await schema.createIndex('calls_by_name').on('calls').columns(['spaceId', 'roomNameKey', 'id']).execute()
    await schema
      .createIndex('calls_live')
      .on('calls')
      .columns(['spaceId', 'id'])
      .where(sql.ref('endedAt'), 'is', null)
      .execute()
  },
}

const slidingSessions: Migration = {
  async up({ schema }: Kysely<unknown>) {
    // A session in use lasts a year: its old refresh tokens are forgotten before it is.
    await schema
      .createIndex('refreshTokens_by_rotation')
      .on('refreshTokens')
      .column('rotatedAt')
      .where(sql.ref('rotatedAt'), 'is not', null)
      .execute()
  },
}

const personalTokens: Migration = {
  async up({ schema }: Kysely<unknown>) {
    for (const column of ['name', 'tokenHash', 'scopes'])
      await schema.alterTable('sessions').addColumn(column, 'text').execute()
    await schema
      .createIndex('sessions_by_token')
      .on('sessions')
      .column('tokenHash')
      .where(sql.ref('tokenHash'), 'is not', null)
      .execute()
    await schema.alterTable('audit').addColumn('tokenName', 'text').execute()
  },
}

/** Users are searched by username and e-mail address too. In byte order, as `nameKey` is; SQLite has the unique ones so. */
const loginSearch: Migration = {
  async up(db: Kysely<unknown>) {
    if (!isPostgres(db as never)) return
    for (const column of ['usernameKey', 'emailKey'])
      await sql`create index ${sql.ref(`users_by_${column}`)} on "users" (${sql.ref(column)} collate "C", "id")`.execute(
        db,
      )
  },
}

const records: Migration = {
  async up({ schema }: Kysely<unknown>) {
    const flags = { isRecordAllowed: 1, isAutoRecordingAllowed: 0 }
    for (const [flag, value] of Object.entries(flags))
      await schema
        .alterTable('rooms')
        .addColumn(flag, 'integer', c => c.notNull().defaultTo(value))
        .execute()
    // Without keys to others: a file is to be removed also when its space is gone.
    await schema
      .createTable('records')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('spaceId', 'text', c => c.notNull())
      .addColumn('roomId', 'text', c => c.notNull())
      .addColumn('roomName', 'text', c => c.notNull())
      .addColumn('callId', 'text', c => c.notNull())
      .addColumn('channelId', 'text', c => c.notNull())
      .addColumn('state', 'text', c => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('workerId', 'text')
      .addColumn('leaseUntil', 'bigint')
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .addColumn('startedAt', 'bigint')
      .addColumn('stopAt', 'bigint')
      .addColumn('endedAt', 'bigint')
      .addColumn('finishedAt', 'bigint')
      .addColumn('durationMs', 'bigint')
      .addColumn('size', 'bigint', c => c.notNull())
      .addColumn('place', 'text')
      .addColumn('deletedAt', 'bigint')
      .execute()
    await schema
      .createIndex('records_open')
      .on('records')
      .column('roomId')
      .unique()
      .where(sql.ref('endedAt'), 'is', null)
      .execute()
    await schema
      .createIndex('records_unfinished')
      .on('records')
      .column('id')
      .where(sql.ref('finishedAt'), 'is', null)
      .execute()
    await schema
      .createIndex('records_deleted')
      .on('records')
      .column('id')
      .where(sql.ref('deletedAt'), 'is not', null)
      .execute()
    await schema.createIndex('records_by_room').on('records').columns(['roomId', 'id']).execute()
    await schema.createIndex('records_by_space').on('records').column('spaceId').execute()
    await schema.createIndex('records_by_call').on('records').column('callId').execute()
  },
}

/** What other systems know users, spaces and rooms by, when they were changed, and what lists are filtered by. */
const externalIds: Migration = {
  async up({ schema }: Kysely<unknown>) {
    for (const table of ['users', 'spaces', 'rooms']) {
      for (const column of ['externalId', 'metadata'])
        await schema.alterTable(table).addColumn(column, 'text').execute()
      await schema.alterTable(table).addColumn('updatedAt', 'bigint').execute()
    }
    await schema.alterTable('spaces').addColumn('externalKey', 'text').execute()
    for (const [table, columns] of [
      ['users', ['externalId']],
      ['spaces', ['externalKey']],
      ['rooms', ['spaceId', 'externalId']],
    ] as const)
      await schema
        .createIndex(`${table}_external`)
        .on(table)
        .columns([...columns])
        .unique()
        .where(sql.ref(columns.at(-1) ?? ''), 'is not', null)
        .execute()
    await schema
      .createIndex('spaces_by_external')
      .on('spaces')
      .columns(['externalId', 'id'])
      .where(sql.ref('externalId'), 'is not', null)
      .execute()
    await schema.createIndex('rooms_by_type').on('rooms').columns(['spaceId', 'type', 'id']).execute()
    for (const place of ['roomId', 'spaceId'])
      await schema.createIndex(`calls_by_start_${place}`).on('calls').columns([place, 'startedAt', 'id']).execute()
  },
}

const recordPictures: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('records').addColumn('picture', 'text').execute()
  },
}

/** Without keys to others: segments are to be removed also when the space is gone. */
const streams: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('streams')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('spaceId', 'text', c => c.notNull())
      .addColumn('roomId', 'text', c => c.notNull())
      .addColumn('roomName', 'text', c => c.notNull())
      .addColumn('callId', 'text', c => c.notNull())
      .addColumn('channelId', 'text', c => c.notNull())
      .addColumn('workerId', 'text')
      .addColumn('leaseUntil', 'bigint')
      .addColumn('createdAt', 'bigint', c => c.notNull())
      .addColumn('startedAt', 'bigint')
      .addColumn('stopAt', 'bigint')
      .addColumn('endedAt', 'bigint')
      .addColumn('sealedUrl', 'text')
      .addColumn('targetHost', 'text')
      .addColumn('targetState', 'text')
      .addColumn('segments', 'text', c => c.notNull())
      .execute()
    await schema
      .createIndex('streams_open')
      .on('streams')
      .column('roomId')
      .unique()
      .where(sql.ref('stopAt'), 'is', null)
      .execute()
    await schema
      .createTable('streamViewers')
      .addColumn('streamId', 'text', c => c.notNull())
      .addColumn('nodeId', 'text', c => c.notNull())
      .addColumn('viewers', 'text', c => c.notNull())
      .addColumn('writtenAt', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('streamViewers_pk', ['streamId', 'nodeId'])
      .execute()
  },
}

/** null: not changed since it was made. */
const moreUpdatedAt: Migration = {
  async up({ schema }: Kysely<unknown>) {
    for (const table of ['members', 'webhooks'])
      await schema.alterTable(table).addColumn('updatedAt', 'bigint').execute()
  },
}

const roleUpdatedAt: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('roomRoles').addColumn('updatedAt', 'bigint').execute()
  },
}

/** People by their role, in the order in which they are listed and, in a search, in that of their names; open links. */
const listFilters: Migration = {
  async up({ schema }: Kysely<unknown>) {
    for (const [name, table, columns] of [
      ['members_by_role', 'members', ['spaceId', 'role', 'id']],
      ['members_by_role_and_name', 'members', ['spaceId', 'role', 'nameKey', 'id']],
      ['roomRoles_by_role', 'roomRoles', ['roomId', 'role', 'id']],
    ] as const)
      await schema
        .createIndex(name)
        .on(table)
        .columns([...columns])
        .execute()
    await schema
      .createIndex('links_open')
      .on('links')
      .columns(['roomId', 'id'])
      .where(sql<boolean>`"revokedAt" is null and ("usedAt" is null or "isPermanent" = 1)`)
      .execute()
  },
}

/** In order, forward only; the name decides the order. */
export const migrations: Record<string, Migration> = {
  '0001_first': first,
  '0002_webhooks': webhooks,
  '0003_calls': calls,
  '0004_stays': stays,
  '0005_bar_names': barNames,
  '0006_closed_channels': closedChannels,
  '0007_words': words,
  '0008_rate_limits': rateLimits,
  '0009_audit': audit,
  '0010_large_calls': largeCalls,
  '0011_call_messages': callMessages,
  '0012_people': people,
  '0013_waiting_room': waitingRoom,
  '0014_host_controls': hostControls,
  '0015_links_and_logos': linksAndLogos,
  '0016_labels_and_name_keys': labelsAndNameKeys,
  '0017_sliding_sessions': slidingSessions,
  '0018_personal_tokens': personalTokens,
  '0020_login_search': loginSearch,
  '0020_records': records,
  '0022_external_ids': externalIds,
  '0023_record_pictures': recordPictures,
  '0024_streams': streams,
  '0025_more_updated_at': moreUpdatedAt,
  '0026_role_updated_at': roleUpdatedAt,
  '0027_list_filters': listFilters,
}

/** The last migration of the previous release: a program that knows it may serve on this schema. Set with each release. */
export const SERVES_SINCE = '0007_words'
