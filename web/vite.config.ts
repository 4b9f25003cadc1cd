import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { operations } from '../contract/operations.ts'

/** The client needs of each operation where it is and what it takes: the schemas stay out of the browser. */
const slimContract = (): Plugin => ({
  name: 'slim-contract',
  enforce: 'pre',
  load(id) {
    if (!id.endsWith('/contract/operations.ts')) return null
    const slim = Object.entries(operations).map(([name, operation]) => {
      const { method, path, tokens, query, body } = operation as typeof operation & { query?: object; body?: object }
      return [name, { method, path, tokens, query: query !== undefined, body: body !== undefined }]
    })
    return `export const operations = ${JSON.stringify(Object.fromEntries(slim))}`
  },
})

export default defineConfig({
  root: import.meta.dirname,
  plugins: [slimContract(), react()],
  build: {
    outDir: 'dist',
    // What earlier builds made goes later (web/build.ts).
    emptyOutDir: false,
    // The page's policy allows scripts from its own origin alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The media library is one piece, loaded when it is needed.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: [join(import.meta.dirname, 'console.html'), join(import.meta.dirname, 'room.html')],
    },
  },
})
