import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { isLong } from './long.ts'
import { temporaryFolder } from './process.ts'

/* Databases as an operator has them, for tests that look at both kinds. */

export type Kind = 'sqlite' | 'postgres'
export const kinds: Kind[] = ['sqlite', 'postgres']
/** For what takes long: in the short run only where there is more to go wrong. */
export const slowKinds: Kind[] = isLong ? kinds : ['postgres']

export const OPERATOR_PASSWORD = 'operator password'

/** Any statements, as the administrator of the test run's PostgreSQL. */
export const asAdmin = async (...statements: string[]) => {
  const admin = new pg.Client(`${inject('postgres')}/postgres`)
  await admin.connect()
  try {
    for (const statement of statements) await admin.query(statement)
  } finally {
    await admin.end()
  }
}

/** A fresh database of the test run's PostgreSQL, with the schema unless the test is about that: its address. */
export const createPostgresDatabase = async ({ isEmpty = false } = {}) => {
  const name = `lectern_${randomUUID().replaceAll('-', '')}`
  await asAdmin(`CREATE DATABASE ${name}${isEmpty ? '' : ` TEMPLATE ${inject('migrated').database}`}`)
  return `${inject('postgres')}/${name}`
}

/** The settings of an installation that has never been started; `isEmpty`: nor has its database the schema. */
export const freshInstallation = async (
  kind: Kind,
  { isEmpty = false } = {},
): Promise<Record<string, string> & { LECTERN_DATA: string }> => ({
  LECTERN_DATA: temporaryFolder(),
  LECTERN_ADMIN_PASSWORD: OPERATOR_PASSWORD,
  LECTERN_MEDIA: 'off',
  LECTERN_LOG_LEVEL: 'warn',
  PORT: '0',
  ...(kind === 'postgres' && { DATABASE_URL: await createPostgresDatabase({ isEmpty }) }),
})
