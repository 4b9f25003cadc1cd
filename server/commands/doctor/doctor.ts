import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Config, readConfig } from '../../config.ts'
import { bucketOf } from '../../recording/storages.ts'
import { connectDb, databaseFile } from '../../store/db.ts'
import { ping } from '../../store/health.ts'
import { schemaOf } from '../../store/schema.ts'
import { print } from '../output.ts'
import { attempt, trouble } from './finding.ts'
import { examineMedia } from './media.ts'
import { requireTcp, runningMedia } from './ports.ts'
import { examineRecording } from './recording.ts'

const checkDataFolder = (config: Config) => {
  // The first start makes the folder itself, but none above it.
  const folder = existsSync(config.data) ? config.data : dirname(config.data)
  if (!existsSync(folder)) trouble(`the parent folder does not exist: ${folder}`)
  accessSync(folder, constants.W_OK)
  const { bavail, bsize } = statfsSync(folder)
  const megabytes = Math.floor((bavail * bsize) / 1e6)
  if (megabytes < 500) trouble(`only ${megabytes} MB free in ${folder}`)
}

const checkKey = (config: Config) => {
  const file = join(config.data, 'master.key')
  if (existsSync(file) && (statSync(file).mode & 0o077) !== 0)
    trouble(`other users can read ${file}. Run: chmod 600 ${file}`)
}

const checkDatabase = async (config: Config) => {
  // Made by the first start.
  if (!config.databaseUrl && !existsSync(databaseFile(config))) return
  const db = await connectDb(config)
  try {
    await ping(db)
    const schema = await schemaOf(db)
    if (schema === 'older')
      trouble('its schema is older than this release: lectern migrate, or the next start, brings it up to date')
    if (schema === 'newer') trouble('its schema is newer than this release: use the release that brought it there')
  } finally {
    await db.destroy()
  }
}

const checkBucket = async (config: Config) => {
  const bucket = await bucketOf(config, { debug: () => {} })
  await bucket?.check()
}

export const doctorCommand = async () => {
  const config = readConfig(process.env)
  const { port, host } = config
  const runningState = port === 0 ? null : await runningMedia(port, host)
  const findings = [
    await attempt('settings', () => undefined),
    await attempt(
      `Node ${process.versions.node}`,
      () => Number(process.versions.node.split('.')[0]) >= 26 || trouble('Node 26 is required. Run: npm ci'),
    ),
    await attempt(`data folder ${config.data}`, () => checkDataFolder(config)),
    await attempt('master key', () => checkKey(config)),
    await examineRecording(config),
    await attempt(config.databaseUrl ? 'PostgreSQL' : 'SQLite', () => checkDatabase(config)),
    runningState === null
      ? await attempt(`port ${port} on ${host}`, () => requireTcp(port, host, 'PORT'))
      : await attempt(`port ${port} on ${host}, where Lectern is running`, () => undefined),
    ...(await examineMedia(config, runningState)),
    ...(config.s3Bucket ? [await attempt(`S3 bucket ${config.s3Bucket}`, () => checkBucket(config))] : []),
  ]
  print(
    findings.map(({ what, trouble: found }) => ({ what, isOk: found === null, trouble: found })),
    ...findings.map(({ what, trouble: found }) => (found === null ? `ok     ${what}` : `ERROR  ${what}: ${found}`)),
  )
  if (findings.some(({ trouble: found }) => found !== null)) process.exitCode = 1
}
