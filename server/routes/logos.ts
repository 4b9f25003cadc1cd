import type { FastifyInstance } from 'fastify'
import { type LogoType, logoTypes } from '../../contract/spaces.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem } from '../http/problem.ts'
import { LOGO_BYTES, logoPath, toLogo } from '../images/logo.ts'
import { anyone, mayChangeSpace } from '../rules.ts'
import { changesOf } from '../store/audit.ts'
import { findLogo, setLogo } from '../store/logos.ts'
import { targetOf, toSpace } from './spaces.ts'

/** Whoever opens the image by itself gets an image: nothing in it runs or loads anything. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const typeOf = (header = '') => logoTypes.find(type => type === header.split(';')[0]?.trim().toLowerCase())

const read = (type: LogoType | undefined, body: unknown) => {
  if (!type || !Buffer.isBuffer(body))
    throw new Problem('unsupported_media_type', `Send the image as ${logoTypes.join(', ')}.`)
  if (body.length > LOGO_BYTES) throw new Problem('body_too_large', 'A logo must be at most 512 kB.')
  const logo = toLogo(type, body)
  if (!logo) throw new Problem('image_invalid', `This is not an image of type ${type}. Export it again and retry.`)
  return { ...logo, type }
}

export const logoRoutes = (app: FastifyInstance, serve: Serve, { db, now, publicOrigin }: Context) => {
  serve('setSpaceLogo', mayChangeSpace, ({ request, commit }) => {
    const logo = read(typeOf(request.headers['content-type']), request.body)
    return commit(async (trx, at, audit) => {
      const space = await setLogo(trx, at.space.id, logo, logoPath(logo.name), now())
      const details = changesOf(at.space, { logo: space.logo })
      if (details) await audit({ action: 'space.updated', target: targetOf(at.space), details })
      return toSpace(space, at.spaceRole, publicOrigin())
    })
  })

  app.get(logoPath(':name'), { config: { rule: anyone } }, async (request, reply) => {
    const logo = await findLogo(db, (request.params as { name: string }).name)
    if (!logo) throw notFound('logo')
    return (
      reply
        .type(logo.type)
        .header('content-security-policy', policy)
        // Its name changes with its content.
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(logo.bytes)
    )
  })
}
