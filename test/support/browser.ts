import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

/** Debian's path. Other systems set the variable. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
/** Options that prevent network access other than to the page. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface Browser {
  /** Opens a new page. */
  page(
    url: string,
    options?: { readonly width?: number; readonly height?: number; readonly dark?: boolean },
  ): Promise<Page>
  close(): Promise<void>
}

/** Starts Chromium with a temporary profile. */
export async function openBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'escrow-chromium-'))
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: QUIET,
    viewport: null,
  })
  return {
    async page(url, { width = 1280, height = 800, dark = false } = {}) {
      const page = await context.newPage()
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
      await page.goto(url)
      return page
    },
    async close() {
      await context.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
