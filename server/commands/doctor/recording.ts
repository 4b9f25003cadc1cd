import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Config } from '../../config.ts'
import { withoutSettings } from '../../media/run.ts'
import { withScratch } from '../../media/scratch.ts'
import { browserVariables, machineFlags } from '../../recording/browser.ts'
import { findPrograms, type Programs } from '../../recording/programs.ts'
import { attempt, type Finding, trouble } from './finding.ts'

/** A busy machine takes its time to start a browser. */
const STARTS_WITHIN_MS = 30_000

const run = (program: string, args: string[], env = withoutSettings()) =>
  promisify(execFile)(program, args, { env, timeout: STARTS_WITHIN_MS, killSignal: 'SIGKILL' }).catch(
    ({ stderr = '', message }: Error & { stderr?: string }) =>
      trouble(
        /no usable sandbox/i.test(stderr)
          ? `${program} can't make its sandbox as this user. Allow user namespaces: see Recording in docs/operating.md.`
          : `${program} does not start: ${stderr.trim().split('\n').at(-1) || message}`,
      ),
  )

/** Starts both: a browser that is there may still not be allowed its sandbox. */
const tryPrograms = ({ chromium, ffmpeg }: Programs, cache: string) =>
  withScratch(cache, async folder => {
    await run(ffmpeg, ['-version'])
    const page = ['--headless=new', `--user-data-dir=${folder}`, '--dump-dom', 'about:blank']
    await run(chromium, [...machineFlags(), ...page], browserVariables(folder))
  })

/** Whether calls can be recorded. Nobody has to: what is missing is an error only where a setting names it. */
export const examineRecording = (config: Config): Promise<Finding> => {
  if (!config.media || config.recorders === 0) return attempt('recording: off', () => undefined)
  const found = findPrograms(config)
  if (!('missing' in found))
    return attempt(`recording: ${found.chromium}, ${found.ffmpeg}`, () => tryPrograms(found, config.cache))
  return config.chromium || config.ffmpeg
    ? attempt('recording', () => trouble(found.missing))
    : attempt(`recording: not set up. ${found.missing}`, () => undefined)
}
