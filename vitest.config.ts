import { defineConfig } from 'vitest/config'

/** What runs over both databases: everything that goes through the interface, and what the drivers make alike. */
const api = ['test/server/routes/**/*.test.ts', 'test/client/**/*.test.ts', 'test/server/store/booleans.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres.ts'],
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Half of what takes long is waiting: for processes, the engine, and what is due.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'sqlite', include: api, provide: { database: 'sqlite' } } },
      { extends: true, test: { name: 'postgres', include: api, provide: { database: 'postgres' } } },
      {
        extends: true,
        test: { name: 'inside', include: ['test/**/*.test.ts'], exclude: api, provide: { database: 'sqlite' } },
      },
    ],
  },
})
