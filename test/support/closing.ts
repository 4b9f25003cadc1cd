import { onTestFinished, TestRunner } from 'vitest'

type Close = () => Promise<void> | void

let closings: Close[] = []

/** Closes something with the test that has opened it, or if a hook has, with the file. */
export const closeAtTheEnd = (close: Close) => {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => await close())
  else closings.push(close)
}

/** What was opened last goes first. */
export const closeAll = async () => {
  const due = closings.reverse()
  closings = []
  for (const close of due) await close()
}
