import { SchemaMismatch } from '../store/failures.ts'
import { migrate, schemaOf } from '../store/schema.ts'
import { print } from './output.ts'
import { withDatabase } from './store.ts'

export const migrateCommand = () =>
  withDatabase(async db => {
    if ((await schemaOf(db)) === 'newer') throw new SchemaMismatch('newer')
    const applied = await migrate(db)
    print(
      { applied },
      ...applied.map(name => `applied  ${name}`),
      applied.length > 0 ? 'The schema is up to date now.' : 'The schema was up to date already.',
    )
  })
