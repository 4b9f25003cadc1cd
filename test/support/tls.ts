import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './process.ts'

/** Files of a certificate for localhost, which vouches for itself. */
export const makeCertificate = () => {
  const folder = temporaryFolder()
  const [key, authority] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', authority], { stdio: 'ignore' })
  return { key, authority }
}

/** https in front of a plain http address, as a proxy does it. `authority` is a file that vouches for it. */
export const behindTls = async (url: string) => {
  const { key, authority } = makeCertificate()
  const { hostname, port } = new URL(url)
  const server = createServer({ key: readFileSync(key), cert: readFileSync(authority) }, socket => {
    const plain = connect(Number(port), hostname)
    for (const [one, other] of [
      [socket, plain],
      [plain, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  await new Promise<void>(ready => server.listen(0, 'localhost', ready))
  onTestFinished(() => {
    server.close()
  })
  return { url: `https://localhost:${(server.address() as { port: number }).port}`, authority }
}
