import Database from 'better-sqlite3'
import pg from 'pg'
import { onTestFinished, vi } from 'vitest'

/** Counts what this process asks of any database, whatever it is for. */
export const countStatements = () => {
  const memory = new Database(':memory:')
  const statement = Object.getPrototypeOf(memory.prepare('select 1')) as Database.Statement
  memory.close()
  const spies = [vi.spyOn(statement, 'all'), vi.spyOn(statement, 'run'), vi.spyOn(pg.Client.prototype, 'query')]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  const count = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  return async (work: () => Promise<unknown>) => {
    const [before, started] = [count(), performance.now()]
    await work()
    return { statements: count() - before, milliseconds: Math.round(performance.now() - started) }
  }
}
