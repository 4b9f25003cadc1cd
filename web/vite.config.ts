import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { operations } from '../client/operations.ts'

/** What the client knows of the operations, as data: the schemas stay out of the browser. */
const slimContract = (): Plugin => ({
  name: 'slim-contract',
  enforce: 'pre',
  load: id => (id.endsWith('/client/operations.ts') ? `export const operations = ${JSON.stringify(operations)}` : null),
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
      input: ['console', 'room', 'recorder'].map(page => join(import.meta.dirname, `${page}.html`)),
    },
  },
})
