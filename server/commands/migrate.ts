import { SchemaMismatch } from '../store/failures.ts'
import { migrate, schemaOf } from '../store/schema.ts'
import { withDatabase } from './store.ts'

export const migrateCommand = () =>
  withDatabase(async db => {
    if ((await schemaOf(db)) === 'newer') throw new SchemaMismatch('newer')
    const applied = await migrate(db)
    for (const name of applied) console.log(`applied  ${name}`)
    console.log(applied.length > 0 ? 'The schema is up to date now.' : 'The schema was up to date already.')
  })
