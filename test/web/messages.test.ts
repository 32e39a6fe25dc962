import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Browser, openBrowser } from '../support/browser.js'
import { runAgent } from './scene.js'
import { setUp } from './setup.js'

/** The messages of the page, and their places, for actions and addresses. */

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function visit(url: URL, hash = '', options: Parameters<Browser['page']>[1] = {}): Promise<Page> {
  const page = await browser.page(`${url}${hash}`, options)
  onTestFinished(() => page.close())
  return page
}

const messages = (page: Page) => page.locator('.toast p').allInnerTexts()

describe('a message', () => {
  it('ends when the view changes, and a failure replaces the one before it', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url, '#/review/cents/src%2Fmoney.ts')
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('c')
    await expect.poll(() => messages(page)).toEqual(['Nothing is approved, so there is nothing to commit.'])
    await page.keyboard.press('U')
    await expect.poll(() => messages(page)).toEqual(['No commit was made here that could be undone.'])
    await page.getByRole('link', { name: 'Ledger' }).click()
    await expect.poll(() => messages(page)).toEqual([])
    await page.getByRole('link', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await expect.poll(() => messages(page)).toEqual(['1 change approved.'])
    await page.getByRole('link', { name: 'Stats' }).click()
    await expect.poll(() => messages(page)).toEqual([])
  })

  it('on a verdict by key is about the file before the one that opens', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url, '#/review/cents/src%2Fold-prices.ts')
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('Y')
    await expect.poll(() => page.locator('.file-title h2').textContent()).not.toBe('src/old-prices.ts')
    expect(await messages(page)).toEqual(['1 change approved.'])
    await page.keyboard.press('J')
    await expect.poll(() => messages(page)).toEqual([])
  })
})

describe('an address', () => {
  it('with an unknown session, page or change names what is missing', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url, '#/review/nope')
    await page.getByText('There is no session nope.').waitFor()
    await page.getByRole('link', { name: 'Back to the list of changes' }).click()
    await page.locator('.files .file').first().waitFor()
    await page.evaluate(() => {
      location.hash = '#/nosuch'
    })
    await page.getByText('There is no page nosuch.').waitFor()
    expect(await page.locator('.files').count()).toBe(0)
    await page.evaluate(() => {
      location.hash = '#/review/cents/src%2Fnever.ts'
    })
    await page.getByText('No change of src/never.ts is staged.').waitFor()
    expect(await page.locator('.content').textContent()).not.toMatch(/committed|discarded|no longer/)
  })
})

it('an approval of an unresolved conflict is refused with what to do on the page', async () => {
  const { project, session, workspace, url } = await setUp()
  session.fs.writeFileSync(`${project.root}/src/money.ts`, 'export const format = (cents: number) => cents / 100\n')
  await session.flush()
  project.write('src/money.ts', 'export const format = (value: number) => value + " €"\n')
  const review = await workspace.review('cents')
  await review.changes()
  await expect(review.commit({ merge: true })).rejects.toMatchObject({ reason: 'stale_file' })
  const page = await visit(url, '#/review/cents/src%2Fmoney.ts')
  await page.getByText('Choose for each place whose lines to keep.').waitFor()
  const refused = ['src/money.ts has a conflict. Resolve it on this page first: choose lines, then save them.']
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await expect.poll(() => messages(page)).toEqual(refused)
  await page.getByRole('button', { name: 'Approve all' }).click()
  await expect.poll(() => messages(page)).toEqual([expect.stringContaining('resolve the conflict first')])
  await page.locator('.conflict-blocks').focus()
  await page.keyboard.press('y')
  await expect.poll(() => messages(page)).toEqual(refused)
})

describe('the layout', () => {
  it('has hunk headers in their middle, and commands in line with files', async () => {
    const { project, session, url } = await setUp()
    await session.exec('sh -c "echo 1 > src/one.ts"')
    await runAgent(project.root, session)
    const page = await visit(url, '#/review/cents/src%2Fcart.ts')
    const button = page.getByRole('button', { name: 'Approve hunk 1' })
    await button.waitFor()
    const middle = ({ top, bottom }: { top: number; bottom: number }) => (top + bottom) / 2
    const box = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().toJSON())
    const row = middle(await box('.hunk-head'))
    expect(Math.abs(middle(await box('.hunk-actions')) - row)).toBeLessThan(2)
    expect(Math.abs(middle(await box('.hunk-text')) - row)).toBeLessThan(2)
    const command = page.locator('.files .command').first()
    const style = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { paddingLeft, fontSize, color } = getComputedStyle(element)
          return { left: element.getBoundingClientRect().left + Number.parseFloat(paddingLeft), fontSize, color }
        })
    await command.waitFor()
    const [shown, group] = [await style('.files .command'), await style('.files .group:not(.grave)')]
    expect(shown.left).toBe(group.left)
    expect(shown.color).toBe(group.color)
    expect(Number.parseFloat(shown.fontSize)).toBeLessThan(13)
  })

  it('cuts a long file name in its middle, and has the whole path as a title', async () => {
    const { project, session, url } = await setUp()
    const names = [1, 2].map((at) => `file-with-a-rather-long-name-that-does-not-fit-in-the-list-${at}.ts`)
    for (const name of names) session.fs.writeFileSync(`${project.root}/src/${name}`, `export {}\n`)
    await session.flush()
    const page = await visit(url)
    for (const name of names) {
      const row = page.locator(`.files .file[title="src/${name}"]`)
      await row.waitFor()
      expect(await row.locator('.leaf').textContent()).toBe(name)
      const [whole, tail] = await Promise.all(
        [row, row.locator('.tail')].map((each) => each.evaluate((element) => element.getBoundingClientRect().toJSON())),
      )
      expect(tail.right).toBeLessThan(whole.right)
      expect(name.endsWith((await row.locator('.tail').textContent())?.trim() ?? '')).toBe(true)
      expect(
        await row.locator('.leaf .cut').evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
      ).toBe(true)
    }
  })
})
