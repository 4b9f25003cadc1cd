/* Makes the pieces of bin/pieces.js, unless they are there, and has what the service loads compiled. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { areBuilt, folder, pieces } from './pieces.js'

if (!areBuilt()) {
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(pieces).map(([specifier, name]) => [name, specifier])),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // Names stay as they are in stack traces. Sources are kept in memory, twice as large with any character beyond Latin-1.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        },
      },
    },
  })
}

spawnSync(process.execPath, [join(import.meta.dirname, 'compile.js')], {
  stdio: 'ignore',
  timeout: 60_000,
})
