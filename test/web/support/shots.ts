import type { Page } from '@playwright/test'

const sizes = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } }
const schemes = ['light', 'dark'] as const

/** The page as it stands, on a phone and a desktop, light and dark, into `screenshots/`. */
export const shoot = async (page: Page, name: string, { fullPage = false } = {}) => {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({
        path: `screenshots/${name}-${size}-${colorScheme}.png`,
        animations: 'disabled',
        fullPage,
      })
    }
  }
}
