import type { Page } from '@playwright/test'
import { expectNoOverflow } from './console.ts'
import { expect, expectAccessible } from './lectern.ts'

/** Colours change gradually; halfway they contrast with nothing. */
const showIn = async (page: Page, colorScheme: 'light' | 'dark') => {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
  await page.evaluate(async () => {
    await new Promise(requestAnimationFrame)
    const passing = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
    await Promise.allSettled(passing.map(({ finished }) => finished))
  })
}

/** In light and dark, and on a phone without the page being wider than its screen. */
export const expectFit = async (page: Page) => {
  for (const colorScheme of ['dark', 'light'] as const) {
    await showIn(page, colorScheme)
    await expectAccessible(page)
  }
  const size = page.viewportSize()
  await page.setViewportSize({ width: 360, height: 740 })
  // Parts of the page slide to their new places.
  await expect(() => expectNoOverflow(page)).toPass({ timeout: 5000 })
  if (size) await page.setViewportSize(size)
}

/** Without the refusals that the browser notes beside the page, which tells of them itself. */
export const unexpected = (complaints: string[]) => complaints.filter(text => !/a status of 4\d\d/.test(text))
