import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Config } from '../config.ts'
import { withoutSettings } from '../media/run.ts'

const isProgram = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The setting, or the first of these on PATH; null: there is none. */
const find = (setting: string | null, names: string[], path: string) => {
  if (setting?.includes('/')) return isProgram(setting) ? setting : null
  const folders = path.split(delimiter).filter(folder => folder !== '')
  const candidates = (setting ? [setting] : names).flatMap(name => folders.map(folder => join(folder, name)))
  return candidates.find(isProgram) ?? null
}

const browsers = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']

export interface Programs {
  chromium: string
  ffmpeg: string
}

/** What records calls, or what is missing and how to get it. */
export const findPrograms = (
  { chromium: browser, ffmpeg: converter }: Pick<Config, 'chromium' | 'ffmpeg'>,
  path = withoutSettings().PATH ?? '',
): Programs | { missing: string } => {
  const [chromium, ffmpeg] = [find(browser, browsers, path), find(converter, ['ffmpeg'], path)]
  if (chromium && ffmpeg) return { chromium, ffmpeg }
  const missing = [chromium ? [] : ['Chromium'], ffmpeg ? [] : ['ffmpeg']].flat()
  const settings = [chromium ? [] : ['LECTERN_CHROMIUM'], ffmpeg ? [] : ['LECTERN_FFMPEG']].flat()
  return {
    missing:
      `To record calls, install ${missing.join(' and ')} (on Debian: apt-get install ` +
      `${missing.map(name => name.toLowerCase()).join(' ')}), or set ${settings.join(' and ')} to where they are.`,
  }
}
