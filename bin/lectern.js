#!/usr/bin/env node
import module from 'node:module'

// Before any TypeScript is loaded: what has been stripped and compiled once is kept for the next start.
module.enableCompileCache()
await import('./pieces.js')

await import('../server/main.ts')
