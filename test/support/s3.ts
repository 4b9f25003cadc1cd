import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './ports.ts'
import { temporaryFolder } from './process.ts'
import { restartable } from './restartable.ts'

const VERSION = 'v1.8.0'
const cache = join(homedir(), '.cache/lectern', `versitygw-${VERSION}`)

/** Built once, which takes minutes. */
const program = () => {
  const path = join(cache, 'versitygw')
  if (!existsSync(path)) {
    mkdirSync(cache, { recursive: true })
    const env = { ...process.env, GOBIN: cache, GOFLAGS: '-mod=mod' }
    execFileSync('go', ['install', `github.com/versity/versitygw/cmd/versitygw@${VERSION}`], { env, stdio: 'inherit' })
  }
  return path
}

/** A real storage that speaks S3, over a folder, with one bucket. */
export const startS3 = async () => {
  const port = await freePort()
  const folder = temporaryFolder()
  const [root, attributes] = [join(folder, 'root'), join(folder, 'attributes')]
  mkdirSync(join(root, 'recordings'), { recursive: true })
  mkdirSync(attributes)
  const endpoint = `http://127.0.0.1:${port}`
  const account = ['--access', 'key', '--secret', 'a secret of the storage']
  const args = ['--port', `127.0.0.1:${port}`, ...account, 'posix', '--sidecar', attributes, root]
  const { start, kill } = restartable(program(), args, () => fetch(endpoint))
  await start()
  return {
    start,
    kill,
    /** What has been begun to be sent, and neither ended nor given up. */
    async uploads() {
      const folder = join(root, 'recordings', '.sgwtmp', 'multipart')
      return existsSync(folder) ? readdirSync(folder).flatMap(key => readdirSync(join(folder, key))) : []
    },
    environment: {
      LECTERN_S3_BUCKET: 'recordings',
      LECTERN_S3_ENDPOINT: endpoint,
      LECTERN_S3_PREFIX: 'lessons/',
      LECTERN_S3_ACCESS_KEY: 'key',
      LECTERN_S3_SECRET_KEY: 'a secret of the storage',
    },
  }
}
