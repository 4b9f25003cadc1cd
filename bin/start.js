/* `npm start`: builds the pages in a child that ends, and goes on as `lectern start` in the process that npm signals. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const signals = ['SIGTERM', 'SIGINT']
const building = spawn(process.execPath, [join(import.meta.dirname, '../web/build.ts')], { stdio: 'inherit' })
let asked
const end = signal => {
  asked = signal
  building.kill(signal)
}
for (const signal of signals) process.on(signal, end)
const [code, endedBy] = await once(building, 'exit')
for (const signal of signals) process.off(signal, end)

if (asked) process.kill(process.pid, asked)
else if (code !== 0) {
  console.error(`\nLectern: the pages could not be built (${endedBy ?? `code ${code}`}).`)
  process.exitCode = 1
} else {
  process.argv.splice(2, 0, 'start')
  await import('./lectern.js')
}
