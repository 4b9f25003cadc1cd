/* Packages of hundreds of files, each loaded in one piece: reading the files would take most of what a command takes. */
import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const folder = join(import.meta.dirname, '../node_modules/.cache/lectern')

/** Another version of the package is another piece. */
const nameFor = specifier => {
  const { version } = JSON.parse(readFileSync(findPackageJSON(specifier, import.meta.url), 'utf8'))
  return `${specifier.replace('/', '-')}-${version}`
}

/** By what is imported: the name of its piece. */
export const pieces = Object.fromEntries(
  ['typebox', 'kysely', 'kysely/migration', 'livekit-server-sdk'].map(specifier => [specifier, nameFor(specifier)]),
)

export const fileOf = name => join(folder, `${name}.js`)

/** A tree that was not built loads the packages as they are. All or none: two of them share what they are made of. */
export const areBuilt = () => Object.values(pieces).every(name => existsSync(fileOf(name)))

if (areBuilt())
  registerHooks({
    resolve: (specifier, context, next) =>
      Object.hasOwn(pieces, specifier)
        ? { url: pathToFileURL(fileOf(pieces[specifier])).href, format: 'module', shortCircuit: true }
        : next(specifier, context),
  })
