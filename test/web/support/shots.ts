import type { Page } from '@playwright/test'
import { DESKTOP, expect, PHONE, untilNoticed } from './lectern.ts'

const sizes = { phone: PHONE, desktop: DESKTOP }
const schemes = ['light', 'dark'] as const

interface ShotOptions {
  fullPage?: boolean
  /** What comes anew with another size or scheme. */
  until?: () => Promise<unknown>
}

/** The page as it stands, on a phone and a desktop, light and dark, into `screenshots/`. It is left as on a desktop. */
export const shoot = async (page: Page, name: string, { fullPage = false, until }: ShotOptions = {}) => {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    // The stage of a call is dark whatever the person prefers.
    const isStage = (await page.locator('main[data-state]').count()) > 0
    for (const colorScheme of isStage ? (['dark'] as const) : schemes) {
      await page.emulateMedia({ colorScheme })
      // Transitions end with the picture.
      await untilNoticed(page)
      await until?.()
      await page.screenshot({
        path: `screenshots/${name}-${size}-${colorScheme}.png`,
        animations: 'disabled',
        fullPage,
      })
    }
  }
}

/** All of a page that has come to rest. */
export const shootPage = async (page: Page, heading: string | RegExp, name: string) => {
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0)
  // What stays at the top of the screen belongs to the top of the picture.
  await page.evaluate(() => scrollTo(0, 0))
  await shoot(page, name, { fullPage: true })
}

/** What stands in front of the page. */
export const shootDialog = async (page: Page, name: string) => {
  // The one before it may still be going.
  await expect(page.getByRole('dialog')).toHaveCount(1)
  await shoot(page, name)
}
