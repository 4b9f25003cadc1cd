import type { Page } from '@playwright/test'
import { isLong } from '../../support/long.ts'
import { expectNoOverflow } from './console.ts'
import { expect, expectAccessible, PHONE, showIn } from './lectern.ts'

/** Nothing is wider than the screen of a phone. */
export const expectFitOnPhone = async (page: Page) => {
  const size = page.viewportSize()
  await page.setViewportSize(PHONE)
  // Parts of the page slide to their new places.
  await expect(() => expectNoOverflow(page)).toPass({ timeout: 5000 })
  if (size) await page.setViewportSize(size)
}

/** In light, in the long run also in the dark, and on a phone without the page being wider than its screen. */
export const expectFit = async (page: Page) => {
  for (const colorScheme of isLong ? (['dark', 'light'] as const) : (['light'] as const)) {
    await showIn(page, colorScheme)
    await expectAccessible(page)
  }
  await expectFitOnPhone(page)
}

/** Without the refusals that the browser notes beside the page, which tells of them itself. */
export const unexpected = (complaints: string[]) => complaints.filter(text => !/a status of 4\d\d/.test(text))
