import { existsSync } from 'node:fs'

/* Debian's. */

export const CHROMIUM = '/usr/bin/chromium'
/** The same without windows: whoever opens a browser of their own in it does so in half the time. */
export const HEADLESS = '/usr/lib/chromium/chromium-headless-shell'

export const browserProgram = existsSync(HEADLESS) ? HEADLESS : CHROMIUM
