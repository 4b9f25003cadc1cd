import type { Config } from '../../config.ts'
import { findPrograms } from '../../recording/programs.ts'
import { attempt, type Finding, trouble } from './finding.ts'

/** Whether calls can be recorded. Nobody has to: what is missing is an error only where a setting names it. */
export const examineRecording = (config: Config): Promise<Finding> => {
  if (!config.media || config.recorders === 0) return attempt('recording: off', () => undefined)
  const found = findPrograms(config)
  if (!('missing' in found)) return attempt(`recording: ${found.chromium}, ${found.ffmpeg}`, () => undefined)
  return config.chromium || config.ffmpeg
    ? attempt('recording', () => trouble(found.missing))
    : attempt(`recording: not set up. ${found.missing}`, () => undefined)
}
