import { afterAll } from 'vitest'
import { closeAll } from './closing.ts'

/* Run before each test file. */

afterAll(closeAll)
