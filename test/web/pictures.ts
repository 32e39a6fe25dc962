/** The screenshots of the review page in docs/img: `npm run pictures`. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { openWorkspace } from '../../src/index.js'
import { serveReview } from '../../src/web/index.js'
import { type Browser, openBrowser } from '../support/browser.js'
import { buildPageOnce } from '../support/built-page.js'
import { openAgent, runAgent, writeFiles } from './scene.js'

const PICTURES = fileURLToPath(new URL('../../docs/img/', import.meta.url))
const ADA = { name: 'Ada' }

/** Takes screenshots of the main views into a directory. */
export async function takePictures(
  browser: Browser,
  url: string,
  directory: string,
  commit: () => Promise<void>,
): Promise<void> {
  mkdirSync(directory, { recursive: true })
  const take = async (
    name: string,
    view: string,
    options: Parameters<Browser['page']>[1],
    ready: (page: Page) => Promise<unknown>,
  ) => {
    const page = await browser.page(`${url}${view}`, options)
    await ready(page)
    await page.screenshot({ path: `${directory}/${name}.png` })
    await page.close()
  }
  const cart = '#/review/cents/src%2Fcart.ts'
  const diff = (page: Page) => page.locator('.hunk-head').nth(1).waitFor()
  await take('review', cart, { width: 1200, height: 720 }, diff)
  await take('review-dark', cart, { width: 1360, height: 720, dark: true }, async (page) => {
    await diff(page)
    await page.keyboard.press('s')
    await page.keyboard.press('j')
    await page.keyboard.press('y')
    await page.locator('.hunk-head.approved').waitFor()
    await page.locator('.toast').waitFor()
  })
  await take('review-phone', '#/review', { width: 360, height: 640 }, (page) =>
    page.locator('.files .file').nth(5).waitFor(),
  )
  await commit()
  await take('stats', '#/stats', { width: 1000, height: 560 }, (page) => page.locator('.ring').nth(2).waitFor())
}

async function main(): Promise<void> {
  const home = mkdtempSync(`${tmpdir()}/escrow-pictures-`)
  process.env.XDG_STATE_HOME = `${home}/state`
  const root = `${home}/shop`
  writeFiles(root)
  const workspace = await openWorkspace(root)
  const session = await openAgent(workspace)
  await runAgent(root, session)
  const served = await serveReview({ workspace, admit: () => undefined, by: ADA, page: buildPageOnce() })
  const browser = await openBrowser()
  try {
    await takePictures(browser, served.url, PICTURES, async () => {
      const review = await workspace.review('cents')
      await review.changes()
      await review.approve(undefined, ADA)
      await review.reject('docs/prices.md', 'Say which currency.', ADA)
      await review.commit()
    })
  } finally {
    await browser.close()
    await served.close()
    await workspace.close()
    rmSync(home, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
