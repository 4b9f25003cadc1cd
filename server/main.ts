import { Argument, Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { completionCommand, shellNames } from './commands/completion.ts'
import { printJson } from './commands/output.ts'
import { ConfigError } from './config.ts'
import { Problem } from './http/problem.ts'
import { ConnectionLost, SchemaMismatch } from './store/failures.ts'

// The database and the keys are nobody else's to read.
process.umask(0o077)

/** Each command is loaded when it is asked for. */
const program = new Command('lectern')
  .description('Self-hosted lessons and webinars. Configure it with environment variables: see `lectern config`.')
  .version(packageJson.version, '--version', 'print the version')
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })

program
  .command('start')
  .description('run the service')
  .action(async () => (await import('./commands/start.ts')).startCommand())

program
  .command('migrate')
  .description('bring the schema of the database up to date, as the next start would')
  .action(async () => (await import('./commands/migrate.ts')).migrateCommand())

program
  .command('config')
  .description('show all settings, their values and descriptions')
  .action(async () => (await import('./commands/config.ts')).configCommand())

const user = program.command('user').description('manage accounts')
user
  .command('list')
  .description('list all users')
  .action(async () => (await import('./commands/user.ts')).listUsersCommand())
user
  .command('add')
  .description('create a user and print the password')
  .argument('<email>')
  .argument('<username>')
  .option('--operator', 'make the user an operator')
  .action(async (email, username, options) =>
    (await import('./commands/user.ts')).addUserCommand(email, username, options),
  )
user
  .command('password')
  .description('set a new password, print it and end the user’s sessions')
  .argument('<user>', 'email address or username')
  .option('--end-clients', 'delete their API clients and personal access tokens too')
  .action(async (login, options) => (await import('./commands/user.ts')).resetPasswordCommand(login, options))
user
  .command('remove')
  .description('delete a user; fails if they own spaces')
  .argument('<user>', 'email address or username')
  .action(async login => (await import('./commands/user.ts')).removeUserCommand(login))

const client = program.command('client').description('manage API clients')
client
  .command('list')
  .description('list the API clients of a user')
  .argument('<user>', 'email address or username')
  .action(async login => (await import('./commands/client.ts')).listClientsCommand(login))
client
  .command('add')
  .description('create an API client for a user and print its secret')
  .argument('<user>', 'email address or username')
  .argument('<name>')
  .action(async (login, name) => (await import('./commands/client.ts')).addClientCommand(login, name))
client
  .command('remove')
  .description('delete an API client; its tokens stop working immediately')
  .argument('<user>', 'email address or username')
  .argument('<clientId>')
  .action(async (login, id) => (await import('./commands/client.ts')).removeClientCommand(login, id))

const space = program.command('space').description('manage plans')
space
  .command('list')
  .description('list all spaces with owner and plan')
  .action(async () => (await import('./commands/space.ts')).listSpacesCommand())
space
  .command('plan')
  .description('set the plan of a space')
  .argument('<spaceId>')
  .argument('<plan>', 'free, team or business')
  .option('--until <time>', 'when the plan ends (ISO 8601); never, if omitted')
  .action(async (id, plan, options) => (await import('./commands/space.ts')).setPlanCommand(id, plan, options.until))

program
  .command('copy')
  .description('move an installation from SQLite into the PostgreSQL of DATABASE_URL')
  .requiredOption('--from <file>', 'the SQLite database, like data/lectern.db')
  .action(async options => (await import('./commands/copy.ts')).copyCommand(options.from))

program
  .command('backup')
  .description('back up the database to a new file while the service runs')
  .argument('<file>')
  .action(async file => (await import('./commands/backup.ts')).backupCommand(file))

program
  .command('restore')
  .description('put a backup in place of the database; the service must not run')
  .argument('<file>')
  .option('--replace', 'delete the data that is there now')
  .action(async (file, options) => (await import('./commands/restore.ts')).restoreCommand(file, options))

program
  .command('doctor')
  .description('check that this machine can run the service')
  .action(async () => (await import('./commands/doctor/doctor.ts')).doctorCommand())

program
  .command('completion')
  .description('print what completes commands in a shell, for example: source <(lectern completion bash)')
  .addArgument(new Argument('<shell>').choices(shellNames))
  .action(shell => completionCommand(program, shell))

/** All that print something of their own. */
const printing = program.commands.flatMap(command => (command.commands.length > 0 ? command.commands : [command]))
for (const command of printing)
  if (command.name() !== 'completion') command.option('--json', 'print JSON').on('option:json', printJson)

const schemaWords = {
  none: 'The database has no tables yet. The first start makes them, or: lectern migrate',
  older:
    'The schema of the database is older than this release. Nothing was changed. Bring it up to date with: lectern migrate',
  newer:
    'The schema of the database is newer than this release. Nothing was changed. Use the release that brought it there, or a newer one.',
}

/** What went wrong in words for the operator; the stack only for what nobody foresaw. */
const explain = (error: unknown): string => {
  if (error instanceof ConfigError) return `Invalid settings.\n${error.message}\nSee all settings with: lectern config`
  if (error instanceof ConnectionLost) return `Can’t connect to PostgreSQL: ${error.message}. Check DATABASE_URL.`
  if (error instanceof SchemaMismatch) return schemaWords[error.schema]
  const { code, message, path, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program. Choose another, for example: PORT=8081 npm start`
  if (code === 'EADDRNOTAVAIL')
    return 'HOST is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all addresses.'
  if (code === 'EACCES' && port)
    return `This user can’t open port ${port}. Choose a port above 1023, for example: PORT=8080`
  if (code === 'ENOENT') return `Can’t create ${path}: the parent folder does not exist. Check LECTERN_DATA.`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'EEXIST' || code === 'ENOTDIR')
    return `Can’t write to ${path ?? 'the data folder'} (${code}). Make it writable, or set LECTERN_DATA to another folder.`
  if (code?.startsWith('SQLITE_'))
    return `Can’t use the database: ${message} (${code}). Check the data folder and free disk space.`
  if (error instanceof Problem || (error as { expected?: boolean }).expected) return message
  return (error as Error).stack ?? String(error)
}

try {
  await program.parseAsync()
} catch (error) {
  // Help and usage errors have been printed already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else {
    console.error(`\nLectern: ${explain(error)}`)
    process.exitCode = error instanceof ConfigError ? 2 : 1
  }
}
