import { createSigner } from 'fast-jwt'
import {
  type ClaimGrants,
  claimsToJwtPayload,
  DataPacket_Kind,
  type ParticipantInfo,
  ParticipantInfo_State,
  type ParticipantPermission,
  RoomServiceClient,
  TokenVerifier,
  TrackSource,
  TwirpError,
  type VideoGrant,
  WebhookReceiver,
} from 'livekit-server-sdk'
import {
  EngineFailure,
  isRecorder,
  type ListedPresence,
  type MediaEngine,
  type MediaEvent,
  type MediaPresence,
  type MediaRights,
  type MediaSource,
  recorderOf,
} from './engine.ts'

/** A claim the engine does not know, and leaves alone. */
const TICKET = 'lectern'
/** Time to connect with a media token; every connect is checked by us anyway. */
const TOKEN_SECONDS = 60
/** Of the tokens we ask the engine with. */
const REQUEST_SECONDS = 600
const CLOCK_TOLERANCE_SECONDS = 10
/** How long the engine keeps a channel that nobody has come to. */
const KEEP_EMPTY_SECONDS = 300
/**
 * And one that all have left: whoever joins later has it opened anew. Not for long, since a node keeps refusing people in
 * a channel that it has and Redis has lost.
 */
const KEEP_LEFT_SECONDS = 20
/** Many join within moments, and the engine need not be asked for the same channel by each of them. */
const OPEN_FOR_SURE_MS = 5000
/** One that cannot be told of takes seconds to say so. */
const LISTED_AT_ONCE = 8

const trackSources: Record<MediaSource, TrackSource[]> = {
  camera: [TrackSource.CAMERA],
  microphone: [TrackSource.MICROPHONE],
  screen: [TrackSource.SCREEN_SHARE, TrackSource.SCREEN_SHARE_AUDIO],
}

/**
 * The whole set, always: an update replaces it, what is unset means allowed, and no sources means all. Nobody sends
 * data past us, and nobody names themselves.
 */
const permission = (rights: MediaRights) => {
  const sources = (Object.keys(trackSources) as MediaSource[]).filter(source => rights[source])
  return {
    canSubscribe: true,
    canPublish: sources.length > 0,
    canPublishSources: sources.flatMap(source => trackSources[source]),
    canPublishData: false,
    canUpdateOwnMetadata: false,
    hidden: false,
  }
}

const nothing: MediaRights = { camera: false, microphone: false, screen: false }

/** Nobody has answered, or only a proxy for an engine that is away: what the engine says has a code. */
const isUnanswered = (error: unknown) =>
  !(error instanceof TwirpError) || (error.status >= 502 && error.code === undefined)

const mayPass = (error: unknown) =>
  isUnanswered(error) || (error instanceof TwirpError && (error.status >= 500 || [408, 429].includes(error.status)))

const isNotFound = (error: unknown) => error instanceof TwirpError && error.status === 404

/** What is gone already needs no more doing. */
const unlessGone = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** A node that has died takes its channels with it, and is no reason to know nothing of the others. */
const unlessFailed = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof EngineFailure) return null
    throw error
  }
}

/** The other way round: null unless they are exactly what `permission` gives for some rights. */
const rightsIn = (said: ParticipantPermission | undefined): MediaRights | null => {
  if (!said) return null
  const sources = new Set(said.canPublishSources)
  const may = (source: MediaSource) => trackSources[source].every(track => sources.has(track))
  const rights = { camera: may('camera'), microphone: may('microphone'), screen: may('screen') }
  const { canSubscribe, canPublish, canPublishSources, canPublishData, hidden } = permission(rights)
  const isWhole =
    said.canSubscribe === canSubscribe &&
    said.canPublish === canPublish &&
    sources.size === canPublishSources.length &&
    said.canPublishData === canPublishData &&
    said.hidden === hidden &&
    !said.canUpdateMetadata
  return isWhole ? rights : null
}

const presence = ({ identity, sid, joinedAtMs, joinedAt, permission, name }: ParticipantInfo): MediaPresence => ({
  participantId: identity,
  connectionId: sid,
  joinedAt: Number(joinedAtMs) || Number(joinedAt) * 1000,
  rights: rightsIn(permission),
  name,
})

const kinds = {
  participant_joined: 'joined',
  participant_left: 'left',
  participant_connection_aborted: 'aborted',
} as const

interface LiveKitOptions {
  /** Its nodes, the one to ask first of all. Any of them can be asked for everything. */
  urls: () => string[]
  apiKey: string
  apiSecret: string
  /** Tokens are made and checked by it, since the clock of this machine may be wrong. */
  now: () => number
}

export const createLiveKit = ({ urls, apiKey, apiSecret, now }: LiveKitOptions): MediaEngine => {
  const sign = createSigner({ key: apiSecret, algorithm: 'HS256', iss: apiKey, noTimestamp: true })
  const validFor = (lifetime: number) => {
    const seconds = Math.floor(now() / 1000)
    return { nbf: seconds, exp: seconds + lifetime }
  }

  class Rooms extends RoomServiceClient {
    override async authHeader(video: VideoGrant) {
      return { Authorization: `Bearer ${sign({ ...claimsToJwtPayload({ video }), ...validFor(REQUEST_SECONDS) })}` }
    }
  }
  const clients = new Map<string, Rooms>()
  const clientAt = (url: string) => {
    const client = clients.get(url) ?? new Rooms(url, apiKey, apiSecret, { requestTimeout: 5 })
    clients.set(url, client)
    return client
  }

  const ask = async <T>(work: (rooms: RoomServiceClient) => Promise<T>): Promise<T> => {
    let failure: unknown
    for (const url of urls())
      try {
        return await work(clientAt(url))
      } catch (error) {
        failure = error
        if (!isUnanswered(error)) break
      }
    throw mayPass(failure) ? new EngineFailure(failure) : failure
  }

  const verifier = new TokenVerifier(apiKey, apiSecret)
  const receiver = new WebhookReceiver(apiKey, apiSecret)
  /** In seconds. The library goes by the clock of this machine. */
  const tolerance = () => CLOCK_TOLERANCE_SECONDS + Math.abs(now() - Date.now()) / 1000

  const opening = new Map<string, Promise<unknown>>()
  const closing = new Map<string, Promise<unknown>>()

  const open = (channelId: string) => {
    const before = opening.get(channelId)
    if (before) return before
    const create = () =>
      ask(rooms =>
        rooms.createRoom({
          name: channelId,
          emptyTimeout: KEEP_EMPTY_SECONDS,
          departureTimeout: KEEP_LEFT_SECONDS,
        }),
      )
    // Not before a closing under way is through, which would take the new one with it.
    const work = (closing.get(channelId) ?? Promise.resolve()).then(create, create)
    opening.set(channelId, work)
    const forget = () => {
      if (opening.get(channelId) === work) opening.delete(channelId)
    }
    work.then(() => setTimeout(forget, OPEN_FOR_SURE_MS).unref(), forget)
    return work
  }

  const listIn: MediaEngine['listIn'] = async channelId =>
    ((await unlessGone(ask(rooms => rooms.listParticipants(channelId)))) ?? [])
      .filter(({ state, identity }) => state !== ParticipantInfo_State.DISCONNECTED && !isRecorder(identity))
      .map(info => ({ ...presence(info), hasMedia: info.state === ParticipantInfo_State.ACTIVE }))

  return {
    listIn,
    open,

    async createToken(channelId, { participantId, name, rights, ticket }) {
      await open(channelId)
      return sign({
        ...claimsToJwtPayload({ name, video: { roomJoin: true, room: channelId, ...permission(rights) } }),
        ...(ticket !== null && { [TICKET]: ticket }),
        sub: participantId,
        ...validFor(TOKEN_SECONDS),
      })
    },

    async createRecorderToken(channelId, captureId) {
      await open(channelId)
      const video = { roomJoin: true, room: channelId, ...permission(nothing), hidden: true }
      return sign({ ...claimsToJwtPayload({ video }), sub: recorderOf(captureId), ...validFor(TOKEN_SECONDS) })
    },

    async readToken(token) {
      try {
        const {
          sub,
          video,
          [TICKET]: ticket,
        } = (await verifier.verify(token, tolerance())) as ClaimGrants & { [TICKET]?: unknown }
        if (!sub || !video?.roomJoin || !video.room) return null
        return { participantId: sub, channelId: video.room, ticket: ticket ?? null }
      } catch {
        return null
      }
    },

    async readEvent(body, authorization): Promise<MediaEvent | null> {
      const event = await receiver.receive(body, authorization, false, tolerance())
      const base = { id: event.id, at: Number(event.createdAt) * 1000, channelId: event.room?.name ?? '' }
      switch (event.event) {
        case 'participant_joined':
        case 'participant_left':
        case 'participant_connection_aborted':
          if (isRecorder(event.participant?.identity ?? '')) return null
          return event.participant ? { ...base, kind: kinds[event.event], ...presence(event.participant) } : null
        case 'room_finished':
          opening.delete(base.channelId)
          return { ...base, kind: 'closed' }
        default:
          return null
      }
    },

    async setRights(channelId, participantId, rights, name) {
      const change = { permission: permission(rights), ...(name !== null && { name }) }
      await unlessGone(ask(rooms => rooms.updateParticipant(channelId, participantId, change)))
    },

    async mute(channelId, participantId, source) {
      const participant = await unlessGone(ask(rooms => rooms.getParticipant(channelId, participantId)))
      const tracks =
        participant?.tracks.filter(track => trackSources[source].includes(track.source) && !track.muted) ?? []
      for (const { sid } of tracks)
        await unlessGone(ask(rooms => rooms.mutePublishedTrack(channelId, participantId, sid, true)))
    },

    async remove(channelId, participantId) {
      await unlessGone(ask(rooms => rooms.removeParticipant(channelId, participantId)))
    },

    forget: channelId => void opening.delete(channelId),

    async close(channelId) {
      opening.delete(channelId)
      const work = unlessGone(ask(rooms => rooms.deleteRoom(channelId)))
      closing.set(channelId, work)
      try {
        await work
      } finally {
        if (closing.get(channelId) === work) closing.delete(channelId)
      }
    },

    async send(channelId, topic, data, to) {
      // To LiveKit an empty list is everyone.
      if (to?.length === 0) return
      const bytes = Buffer.from(JSON.stringify(data))
      const options = { topic, ...(to && { destinationIdentities: to }) }
      await unlessGone(ask(rooms => rooms.sendData(channelId, bytes, DataPacket_Kind.RELIABLE, options)))
    },

    channels: async () => (await ask(rooms => rooms.listRooms())).map(({ name }) => name),

    async list(channelIds) {
      const channels = new Map<string, ListedPresence[] | null>()
      const left = [...channelIds]
      const listSome = async () => {
        for (let channelId = left.pop(); channelId !== undefined; channelId = left.pop())
          channels.set(channelId, await unlessFailed(listIn(channelId)))
      }
      await Promise.all(Array.from({ length: LISTED_AT_ONCE }, listSome))
      return channels
    },
  }
}
