import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { isLong } from './test/support/long.ts'

/**
 * What runs over SQLite, over two nodes on one PostgreSQL, and in the long run over one node on it: everything that goes
 * through the interface, and what the drivers make alike.
 */
const api = [
  'test/server/routes/**/*.test.ts',
  'test/client/client.test.ts',
  'test/server/store/booleans.test.ts',
  'test/server/delivery/worker.test.ts',
]

/** What of it never gets as far as the store: in the short run it is not repeated over the nodes. */
const beforeStore = ['bodies', 'codes', 'limits', 'pages'].map(name => `test/server/routes/${name}.test.ts`)

/**
 * What is measured, and would measure the tests beside it: at the end of the long run, one after another, when nothing
 * else runs. In the short run a crowd is a few, and says nothing of the time.
 */
const measured = ['test/server/recording/sync.test.ts', ...(isLong ? ['test/server/crowd.test.ts'] : [])]

/**
 * A worker takes only files of the project it has begun with, so project follows project. First the tests inside, which
 * take longest, so that none of them is left over at the end.
 */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    return ['inside', 'nodes', 'postgres', 'sqlite', 'measured'].flatMap(name =>
      sorted.filter(({ project }) => project.name === name),
    )
  }
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/run.ts'],
    setupFiles: ['test/support/setup.ts'],
    // For what hangs. Beside five others, a test takes several times as long as alone.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Loading the service takes longer than most files: a worker does it once.
    isolate: false,
    // More than half of what takes long is waiting: for processes, the engine, and what is due.
    maxWorkers: 5,
    sequence: { sequencer: ByProject },
    projects: [
      { extends: true, test: { name: 'sqlite', include: api, provide: { database: 'sqlite' } } },
      {
        extends: true,
        test: { name: 'nodes', include: api, exclude: isLong ? [] : beforeStore, provide: { database: 'nodes' } },
      },
      // The same over one node takes a minute that the nodes have had already.
      ...(isLong
        ? [
            {
              extends: true as const,
              test: { name: 'postgres', include: api, provide: { database: 'postgres' as const } },
            },
            {
              extends: true as const,
              test: {
                name: 'measured',
                include: measured,
                provide: { database: 'sqlite' as const },
                sequence: { groupOrder: 1 },
                maxWorkers: 1,
              },
            },
          ]
        : []),
      {
        extends: true,
        test: {
          name: 'inside',
          include: ['test/**/*.test.ts'],
          exclude: [...api, ...measured],
          provide: { database: 'sqlite' },
        },
      },
    ],
  },
})
