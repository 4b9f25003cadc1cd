import type { FastifyReply } from 'fastify'

/** Aborted when the client disconnects before the answer. */
export const goneSignal = ({ raw }: FastifyReply): AbortSignal => {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}
