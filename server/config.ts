import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** A setting that cannot be used; the message is for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

interface Setting<T> {
  default: string
  description: string
  secret?: true
  /** Nodes that serve the same database may each have another value. */
  perNode?: true
  parse: (text: string) => T
}

const setting = <T>(declaration: Setting<T>) => declaration

const expected = (what: string): never => {
  throw new Error(what)
}
const integer = (min: number, max: number) => (text: string) => {
  const value = Number(text)
  return /^\d+$/.test(text) && value >= min && value <= max ? value : expected(`a whole number from ${min} to ${max}`)
}
const oneOf =
  <const V extends string>(...values: V[]) =>
  (text: string) =>
    values.find(value => value === text) ?? expected(`one of ${values.join(', ')}`)
const onOff = (text: string) => oneOf('on', 'off')(text) === 'on'
const text = (value: string) => value
const optional =
  <T>(parse: (text: string) => T) =>
  (value: string) =>
    value === '' ? null : parse(value)
const list =
  <T>(parse: (text: string) => T) =>
  (value: string) =>
    value
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== '')
      .map(parse)
const url =
  (...protocols: string[]) =>
  (value: string) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol)
      ? value.replace(/\/+$/, '')
      : expected(`a URL that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`)
const origin = (value: string) =>
  URL.canParse(value) && new URL(value).origin === value
    ? value
    : expected('a URL like https://school.example, without a path')
/** 32 bytes as base64url. */
export const isMasterKey = (value: string) => /^[\w-]{43}$/.test(value)
const addressOrRange = (value: string) => {
  const [address = '', bits] = value.split('/')
  const family = isIP(address)
  return family && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
    ? value
    : expected('IP addresses or ranges like 10.0.0.0/8')
}

/** All settings, each with its name in the environment. The README's table and `lectern config` come from here. */
export const settings = {
  port: setting({
    default: '8080',
    description: 'Port to listen on; 0 for any free port',
    perNode: true,
    parse: integer(0, 65535),
  }),
  host: setting({
    default: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 for all addresses',
    perNode: true,
    // The framework would open a second server for the other family, past the limits on connections.
    parse: value => (value === 'localhost' ? '127.0.0.1' : value),
  }),
  publicUrl: setting({
    default: '',
    description: 'Public URL of Lectern, used in links; http://localhost:PORT if empty',
    parse: optional(origin),
  }),
  data: setting({
    default: './data',
    description: 'Folder for the database and the keys',
    perNode: true,
    parse: value => resolve(value),
  }),
  adminEmail: setting({
    default: 'operator@lectern.local',
    description: 'Email of the operator account (first start only)',
    perNode: true,
    parse: value => (/^\S+@\S+\.\S+$/.test(value) ? value : expected('an email address')),
  }),
  adminPassword: setting({
    default: '',
    description: 'Password of the operator account (first start only); generated and printed once if empty',
    secret: true,
    perNode: true,
    parse: optional(value => (value.length >= 8 && value.length <= 256 ? value : expected('8 to 256 characters'))),
  }),
  masterKey: setting({
    default: '',
    description:
      'Master key, the content of master.key; if empty, it is read from the data folder. Nodes on one database need the same',
    secret: true,
    perNode: true,
    parse: optional(value => (isMasterKey(value) ? value : expected('the content of a master.key file'))),
  }),
  databaseUrl: setting({
    default: '',
    description: 'PostgreSQL connection URL; SQLite in the data folder if empty',
    secret: true,
    perNode: true,
    parse: optional(url('postgres:', 'postgresql:')),
  }),
  databasePool: setting({
    default: '10',
    description: 'Maximum PostgreSQL connections of this node for requests',
    perNode: true,
    parse: integer(1, 1000),
  }),
  databaseBackgroundPool: setting({
    default: '5',
    description:
      'Maximum PostgreSQL connections of this node for background work: webhook deliveries, reconciling calls, housekeeping',
    perNode: true,
    parse: integer(1, 1000),
  }),
  defaultPlan: setting({
    default: 'team',
    description: 'Plan of new spaces: free, team or business',
    parse: oneOf('free', 'team', 'business'),
  }),
  directMembers: setting({
    default: 'off',
    description: 'on: space owners can add existing users by ID or email address, without an invite',
    parse: onOff,
  }),
  webhookSchedule: setting({
    default: '0,30,300',
    description: 'Delay in seconds before each of the three delivery attempts; the first must be 0',
    parse: value => {
      const seconds = list(integer(0, 86_400))(value)
      return seconds.length === 3 && seconds[0] === 0
        ? seconds
        : expected('three whole numbers, the first 0, like 0,30,300')
    },
  }),
  allowPrivateWebhooks: setting({
    default: '0',
    description: '1: webhooks can also use private addresses. For development and tests only',
    parse: value => oneOf('0', '1')(value) === '1',
  }),
  media: setting({ default: 'on', description: 'off: API and console only, calls can’t be joined', parse: onOff }),
  livekitUrl: setting({
    default: '',
    description: 'URLs of an external LiveKit server, one for each of its nodes; Lectern runs its own if empty',
    parse: list(value => url('http:', 'https:', 'ws:', 'wss:')(value).replace(/^ws/, 'http')),
  }),
  livekitApiKey: setting({ default: '', description: 'API key of the external LiveKit server', parse: optional(text) }),
  livekitApiSecret: setting({
    default: '',
    description: 'API secret of the external LiveKit server',
    secret: true,
    parse: optional(text),
  }),
  mediaIp: setting({
    default: '127.0.0.1',
    description: 'IP address where browsers reach the media engine that Lectern runs',
    perNode: true,
    parse: value => (isIP(value) ? value : expected('an IP address')),
  }),
  mediaPorts: setting({
    default: '',
    description: 'TCP and UDP ports for media, like 7881,7882; any free ports if empty',
    perNode: true,
    parse: optional(value => {
      const [tcp, udp, ...more] = list(integer(1, 65535))(value)
      return tcp && udp && more.length === 0 ? { tcp, udp } : expected('two ports, like 7881,7882')
    }),
  }),
  callGrace: setting({
    default: '20',
    description: 'Seconds before an empty call ends',
    parse: integer(0, 3600),
  }),
  drainSeconds: setting({
    default: '',
    description:
      'Seconds to keep serving requests after SIGTERM, while /readyz returns 503; if empty, 10 with DATABASE_URL and 0.3 without',
    perNode: true,
    parse: optional(integer(0, 600)),
  }),
  keepChatDays: setting({
    default: '365',
    description: 'Days to keep chat messages, at most as long as their call',
    parse: integer(1, 10_000),
  }),
  keepCallsDays: setting({
    default: '730',
    description: 'Days to keep past calls with their attendance and chat',
    parse: integer(1, 10_000),
  }),
  keepDeliveriesDays: setting({
    default: '30',
    description: 'Days to keep deliveries in the delivery log, except pending ones',
    parse: integer(1, 10_000),
  }),
  keepLinksDays: setting({
    default: '90',
    description:
      'Days to keep guest links after they expired, were revoked or were used up, and at least while a guest of theirs has access',
    parse: integer(1, 10_000),
  }),
  keepAuditDays: setting({
    default: '400',
    description: 'Days to keep the audit log',
    parse: integer(1, 10_000),
  }),
  keepRecordsDays: setting({
    default: '365',
    description: 'Days to keep recordings',
    parse: integer(1, 10_000),
  }),
  recordQuotaGb: setting({
    default: '',
    description: 'Gigabytes that the recordings of a space can take; no limit if empty',
    parse: optional(integer(1, 1_000_000)),
  }),
  records: setting({
    default: '',
    description: 'Folder for recordings; records in the data folder if empty. Several nodes have to share it',
    perNode: true,
    parse: optional(value => resolve(value)),
  }),
  s3Bucket: setting({
    default: '',
    description: 'S3 bucket for recordings; the folder for recordings if empty',
    parse: optional(text),
  }),
  s3Endpoint: setting({
    default: '',
    description: 'URL of the S3-compatible storage; that of Amazon S3 if empty',
    parse: optional(url('http:', 'https:')),
  }),
  s3Region: setting({ default: 'us-east-1', description: 'Region of the bucket', parse: text }),
  s3Prefix: setting({
    default: '',
    description: 'What the names of recordings in the bucket begin with, such as lectern/',
    parse: optional(text),
  }),
  s3AccessKey: setting({
    default: '',
    description:
      'Access key for the bucket; the credentials of the environment, such as a role of the machine, if empty',
    parse: optional(text),
  }),
  s3SecretKey: setting({
    default: '',
    description: 'Secret of the access key',
    secret: true,
    parse: optional(text),
  }),
  recorders: setting({
    default: '',
    description: 'Maximum calls recorded or streamed at once on this node; one for every two cores if empty',
    perNode: true,
    parse: optional(integer(0, 1000)),
  }),
  chromium: setting({
    default: '',
    description: 'Chromium or Chrome, which records and streams calls; found on PATH if empty',
    perNode: true,
    parse: optional(text),
  }),
  ffmpeg: setting({
    default: '',
    description: 'ffmpeg, which makes recordings and live streams; found on PATH if empty',
    perNode: true,
    parse: optional(text),
  }),
  cache: setting({
    default: '',
    description: 'Folder where the media engine is built and stored; ~/.cache/lectern if empty',
    perNode: true,
    parse: value => (value === '' ? join(homedir(), '.cache', 'lectern') : resolve(value)),
  }),
  rateLimits: setting({ default: 'on', description: 'Rate limits per token and per IP address', parse: onOff }),
  maxConnections: setting({
    default: '',
    description:
      'Maximum open connections, a quarter of them per IP address; derived from the limit on open files if empty',
    perNode: true,
    parse: optional(integer(32, 1_000_000)),
  }),
  captchaProvider: setting({
    default: '',
    description: 'Captcha provider: turnstile, hcaptcha or recaptcha (v2 checkbox); no captcha if empty',
    parse: optional(oneOf('turnstile', 'hcaptcha', 'recaptcha')),
  }),
  captchaSiteKey: setting({
    default: '',
    description: 'Site key from the captcha provider',
    parse: optional(value =>
      /^[\w-]{1,200}$/.test(value) ? value : expected('letters, digits, hyphens and underscores'),
    ),
  }),
  captchaSecret: setting({
    default: '',
    description: 'Secret from the captcha provider',
    secret: true,
    parse: optional(text),
  }),
  captchaUrl: setting({
    default: '',
    description:
      'URL that verifies captcha responses; the provider’s siteverify URL if empty. Without a provider, the pages show no widget',
    parse: optional(url('http:', 'https:')),
  }),
  trustedProxies: setting({
    default: '',
    description: 'IP addresses or ranges of reverse proxies whose X-Forwarded-* headers are trusted',
    perNode: true,
    parse: list(addressOrRange),
  }),
  corsOrigins: setting({
    default: '',
    description: 'Origins of other sites allowed to call the API from the browser',
    parse: list(origin),
  }),
  embedOrigins: setting({
    default: '',
    description: 'Origins of other sites allowed to embed the room page and receive its events; * for all',
    parse: list(value => (value === '*' ? value : origin(value))),
  }),
  metricsToken: setting({
    default: '',
    description:
      'Bearer token for /metrics; if empty, metrics are available from this machine only, and not at all once LECTERN_PUBLIC_URL or LECTERN_TRUSTED_PROXIES is set',
    secret: true,
    parse: optional(value => (value.length >= 16 ? value : expected('at least 16 characters'))),
  }),
  logLevel: setting({
    default: 'info',
    description: 'Log level: fatal, error, warn, info, debug, trace or silent',
    perNode: true,
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  }),
}

export type SettingName = keyof typeof settings
type Settings = { readonly [K in SettingName]: ReturnType<(typeof settings)[K]['parse']> }
export type Config = Settings

/** PORT, HOST and DATABASE_URL are named as every platform names them. */
export const environmentName = (name: SettingName) => {
  const upper = name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()
  return ['PORT', 'HOST', 'DATABASE_URL'].includes(upper) ? upper : `LECTERN_${upper}`
}

/** The only reader of the environment. Throws one ConfigError that names every setting that is wrong. */
export const readConfig = (environment: Record<string, string | undefined>): Config => {
  const wrong: string[] = []
  const parsed: Record<string, unknown> = {}
  for (const [name, { default: fallback, parse, secret }] of Object.entries(settings)) {
    const variable = environmentName(name as SettingName)
    const given = environment[variable]
    // A secret may well begin or end with a space.
    const value = (secret ? given : given?.trim()) || fallback
    try {
      parsed[name] = parse(value)
    } catch (error) {
      wrong.push(`${variable}${secret ? '' : ` is "${value}" but`} must be ${(error as Error).message}`)
    }
  }
  const config = Object.freeze(parsed) as Config
  if (wrong.length === 0 && (config.captchaProvider === null) !== (config.captchaSiteKey === null))
    wrong.push('Set both LECTERN_CAPTCHA_PROVIDER and LECTERN_CAPTCHA_SITE_KEY, or neither')
  if (wrong.length === 0 && (config.captchaProvider ?? config.captchaUrl) !== null && config.captchaSecret === null)
    wrong.push(
      `${config.captchaProvider ? 'LECTERN_CAPTCHA_PROVIDER' : 'LECTERN_CAPTCHA_URL'} requires LECTERN_CAPTCHA_SECRET`,
    )
  if (wrong.length === 0 && config.captchaSecret !== null && (config.captchaProvider ?? config.captchaUrl) === null)
    wrong.push('LECTERN_CAPTCHA_SECRET requires LECTERN_CAPTCHA_PROVIDER and LECTERN_CAPTCHA_SITE_KEY')
  if (wrong.length === 0 && config.livekitUrl.length > 0 && !(config.livekitApiKey && config.livekitApiSecret))
    wrong.push('LECTERN_LIVEKIT_URL requires LECTERN_LIVEKIT_API_KEY and LECTERN_LIVEKIT_API_SECRET')
  if (wrong.length === 0 && (config.s3AccessKey === null) !== (config.s3SecretKey === null))
    wrong.push('Set both LECTERN_S3_ACCESS_KEY and LECTERN_S3_SECRET_KEY, or neither')
  if (wrong.length === 0 && (config.s3Endpoint ?? config.s3AccessKey) !== null && config.s3Bucket === null)
    wrong.push('LECTERN_S3_ENDPOINT and LECTERN_S3_ACCESS_KEY require LECTERN_S3_BUCKET')
  if (wrong.length > 0) throw new ConfigError(wrong.join('\n'))
  return config
}
