import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { serveReview } from '../../src/web/index.js'
import { type Browser, openBrowser } from '../support/browser.js'
import { builtPage } from '../support/built-page.js'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'
import { agentOf, FILES, work } from './scene.js'

/** The page in a real browser, from an agent's write to the disk and the ledger. */

const ADA = { name: 'Ada' }
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function serve(place: TestWorkspace, port?: number) {
  const workspace = await place.open()
  const served = await serveReview({
    workspace,
    admit: () => undefined,
    by: ADA,
    page: builtPage(),
    ...(port !== undefined && { port }),
  })
  onTestFinished(() => served.close())
  return { workspace, served, url: served.url }
}

/** An agent that has worked, and the page that shows it. */
async function scene(files = FILES) {
  const place = testWorkspace(files, '')
  const { workspace, served, url } = await serve(place)
  const session = await agentOf(workspace)
  return { place, workspace, served, url, session }
}

/** A page; what goes wrong in it fails the test. */
async function visit(url: string, options: Parameters<Browser['page']>[1] = {}): Promise<Page> {
  const page = await browser.page('about:blank', options)
  const wrong: string[] = []
  const asked: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on(
    'console',
    (message) =>
      message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()) && wrong.push(message.text()),
  )
  page.on('request', (request) => asked.push(new URL(request.url()).origin))
  await page.goto(url)
  onTestFinished(async () => {
    await page.close()
    expect(wrong).toEqual([])
    // Nothing is asked of any other place.
    expect([...new Set(asked)]).toEqual([new URL(url).origin])
  })
  return page
}

const file = (page: Page, name: string) => page.locator('.files .file', { hasText: name })
const toast = (page: Page, text: string | RegExp) => page.locator('.toast', { hasText: text }).first().waitFor()
const head = (page: Page) => page.locator('.file-title h2').textContent()

describe('from an agent’s write to the disk', () => {
  it('by the keys alone: it shows up, is judged, rejected with words, committed and undone', async () => {
    const { place, session, url } = await scene()
    const page = await visit(url)
    await page.getByText('Nothing is staged.').waitFor()
    expect(page.url()).not.toContain('token')
    await work(place.root, session)
    await file(page, 'cart.ts').waitFor()
    const groups = await page.locator('.files .group').allInnerTexts()
    expect(groups.map((text) => text.split('\n')[0])).toEqual([
      'Deletions',
      'Declared otherwise than measured',
      'INT-007 Prices in cents · call c1',
    ])

    expect(await head(page)).toBe('src/old-prices.ts')
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('y')
    await toast(page, '1 change approved.')
    await expect.poll(() => head(page)).toBe('src/tax.ts')
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('What should the agent hear?').fill('Half a cent goes to the shop.')
    await page.keyboard.press('Control+Enter')
    await toast(page, '1 change rejected.')
    expect(await session.feedback()).toMatchObject([
      { path: 'src/tax.ts', reason: 'Half a cent goes to the shop.', by: ADA },
    ])

    await file(page, 'cart.ts').click()
    await page.locator('.hunk-head').nth(1).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('y')
    await toast(page, '1 hunk approved.')
    await page.locator('#commit', { hasText: 'Commit 2' }).waitFor()
    await page.keyboard.press('c')
    await toast(page, '2 changes on disk now.')
    expect(place.text('src/cart.ts')).toContain('{format(item.price)}')
    expect(place.text('src/cart.ts')).toContain('let sum = 0')
    expect(place.text('src/tax.ts')).not.toContain('Math.round')
    await page.getByRole('button', { name: 'Undo' }).click()
    await toast(page, /staged in session undo/)
    await page.locator('.picker option', { hasText: /^undo/ }).first().waitFor({ state: 'attached' })
    await file(page, 'old-prices.ts').waitFor()
  })

  it('lists what an approval left out, why, and the way on', async () => {
    const { place, url, session } = await scene()
    await work(place.root, session)
    place.write('src/tax.ts', 'another hand\n')
    const page = await visit(url)
    await page.getByRole('button', { name: 'Approve all' }).click()
    const left = page.getByRole('status', { name: 'Left out' })
    await left.waitFor()
    expect(await left.textContent()).toMatch(/1 change[\s\S]*src\/tax\.ts was changed on disk[\s\S]*Merge/)
    await left.getByRole('button', { name: 'Close' }).click()
    await left.waitFor({ state: 'detached' })
  })

  it('edits in place, answers what is asked, divides a hunk and takes a verdict back', async () => {
    const { place, session, url } = await scene()
    await work(place.root, session)
    const page = await visit(url)
    await file(page, 'money.ts').click()
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('e')
    const field = page.getByLabel('Content of src/money.ts')
    await field.waitFor()
    await field.fill(`${await field.inputValue()}// reviewed\n`)
    await page.keyboard.press('Control+s')
    await toast(page, 'Saved into the stage.')
    await page.locator('.flag', { hasText: 'edited' }).waitFor()
    await page.locator('.line.add', { hasText: '// reviewed' }).waitFor()

    await page
      .locator('.ask', { hasText: 'May INT-007 own test/** too?' })
      .getByRole('button', { name: 'Add to the scope' })
      .click()
    await toast(page, 'Answered.')
    await page.locator('.ask').waitFor({ state: 'detached' })
    await session.flush()
    session.fs.mkdirSync(`${place.root}/test`)
    session.fs.writeFileSync(`${place.root}/test/cart.ts`, 'export {}\n')
    await session.flush()
    await page.locator('.files .file[title="test/cart.ts"]').waitFor()

    await page.locator('.files .file[title="src/cart.ts"]').click()
    await page.getByRole('button', { name: 'Divide hunk 1' }).click()
    await page.locator('.hunk-head').nth(3).waitFor()
    await page.getByRole('button', { name: 'Approve hunk 2' }).click()
    await page.locator('.hunk-head.approved').waitFor()
    await page.getByRole('button', { name: 'Take back the verdict on hunk 2' }).click()
    await page.locator('.hunk-head.approved').waitFor({ state: 'detached' })
  })

  it('shows both sides of a conflict, and takes the one a person chooses', async () => {
    const { place, session, url } = await scene()
    session.fs.writeFileSync(`${place.root}/src/money.ts`, 'export const format = (cents: number) => cents / 100\n')
    await session.flush()
    place.write('src/money.ts', 'export const format = (value: number) => value + " €"\n')
    const page = await visit(url)
    await page.locator('.flag', { hasText: 'disk moved on' }).waitFor()
    await page.getByRole('button', { name: 'Merge what moved' }).click()
    await toast(page, /both between conflict markers/)
    await page.getByText('Choose for each place whose lines stand.').waitFor()
    expect(await page.locator('.side-of pre').allInnerTexts()).toEqual([
      expect.stringContaining('cents / 100'),
      expect.stringContaining('€'),
    ])
    await page.getByRole('button', { name: 'Take disk’s' }).click()
    await page.getByRole('button', { name: 'Save into the stage' }).click()
    await toast(page, 'Resolved.')
    await expect
      .poll(async () => {
        await session.flush()
        return session.fs.readFileSync(`${place.root}/src/money.ts`, 'utf8')
      })
      .toContain('€')
  })
})

describe('pages', () => {
  it('two at once see what the other does; a verdict on what has moved is refused and shown anew', async () => {
    const { place, session, url } = await scene()
    await work(place.root, session)
    const [one, two] = [await visit(url), await visit(url)]
    for (const page of [one, two]) await file(page, 'tax.ts').click()
    await one.getByRole('button', { name: 'Approve', exact: true }).click()
    await two.locator('.file-actions .verdict.approved').waitFor()
    // The second hears nothing of what the agent writes now, so it decides on what it saw.
    await two.route('**/changes?*', async () => undefined)
    session.fs.writeFileSync(`${place.root}/src/tax.ts`, 'export const tax = () => 0\n')
    await session.flush()
    await one.locator('.line.add', { hasText: 'tax = () => 0' }).waitFor()
    await two.getByRole('button', { name: 'Approve', exact: true }).click()
    await toast(two, /since it was shown/)
    await two.unroute('**/changes?*')
    await expect.poll(() => one.locator('.file-actions .verdict').textContent()).toBe('pending')
  })

  it('say that the server is gone, that the address is of an earlier start, and go on with the new one', async () => {
    const { place, session, served, url } = await scene()
    await work(place.root, session)
    const page = await visit(url)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await toast(page, 'approved')
    await served.close()
    await page.locator('.trouble', { hasText: 'The server does not answer.' }).waitFor()
    const again = await serve(place, Number(new URL(url).port))
    await page.locator('.trouble', { hasText: 'This address is of an earlier start.' }).waitFor({ timeout: 20_000 })
    expect((await page.request.get(url)).status()).toBe(401)
    await page.goto(again.url)
    await page.locator('.file-actions .verdict.approved').waitFor()
  })

  it('show names and contents as text, and hidden characters by name', async () => {
    const { place, session, url } = await scene()
    const name = 'src/<img src=x onerror=document.title="owned">.html'
    session.fs.writeFileSync(
      `${place.root}/${name}`,
      '<script>document.title = "owned"</script>\nconst user\u202e = 1\n',
    )
    session.fs.writeFileSync(
      `${place.root}/src/pic.svg`,
      '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=\'owned\'"><rect width="9" height="9"/></svg>',
    )
    await session.flush()
    await session.requestScope(['x/**'], '<b>bold</b>\u200b')
    const page = await visit(url)
    await page.locator('.line', { hasText: '<script>document.title' }).waitFor()
    expect(await head(page)).toBe(name)
    expect(await page.locator('.diff .hidden-char').textContent()).toBe('<U+202E>')
    await page.locator('.ask', { hasText: '<b>bold</b><U+200B>' }).waitFor()
    await file(page, 'pic.svg').click()
    await expect
      .poll(() => page.locator('.images img').evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0)
    expect(await page.title()).toBe('escrow · review')
  })
})

describe('much', () => {
  it('2,000 changes and 50,000 lines are a list of what is in view', async () => {
    const lines = (word: string) => Array.from({ length: 50_000 }, (_, at) => `${word} ${at}\n`).join('')
    const { place, session, url } = await scene({ ...FILES, 'src/huge.txt': 'old\n' })
    for (let at = 0; at < 2_000; at++)
      session.fs.writeFileSync(`${place.root}/src/file${String(at).padStart(4, '0')}.txt`, `${at}\n`)
    session.fs.writeFileSync(`${place.root}/src/huge.txt`, lines('line'))
    await session.flush()
    const page = await visit(`${url}#/review/cents/src%2Fhuge.txt`)
    await page.locator('.line.add', { hasText: 'line 0' }).first().waitFor()
    const elements = () => page.evaluate(() => document.querySelectorAll('*').length)
    expect(await elements()).toBeLessThan(1_500)
    await page.locator('.rows').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await page.locator('.line.add', { hasText: 'line 49999' }).waitFor()
    await page.locator('.files').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await file(page, 'huge.txt').waitFor()
    await page.locator('.files').evaluate((list) => list.scrollTo(0, 0))
    await file(page, 'file0000.txt').waitFor()
    expect(await elements()).toBeLessThan(1_500)
  })
})

describe('everybody', () => {
  it('can use each view: axe finds nothing serious, narrow or wide, dark or light', async () => {
    const { place, workspace, session, url } = await scene()
    await work(place.root, session)
    const review = await workspace.review('cents')
    await review.changes()
    await review.approve('src/money.ts', ADA)
    await review.commit()
    const views = [
      '#/review/cents/src%2Fcart.ts',
      '#/review/cents/assets%2Fcoin.png',
      '#/intents',
      '#/ledger',
      '#/blame/src%2Fmoney.ts',
      '#/stats',
    ]
    const found: unknown[] = []
    for (const options of [{ dark: false }, { dark: true, width: 360, height: 740 }]) {
      const page = await visit(url, options)
      for (const view of views) {
        await page.evaluate((hash) => {
          location.hash = hash
        }, view)
        await page.locator('main :is(.line, .images, .card, .event, .ring)').first().waitFor()
        await page.evaluate(AXE)
        const result: { id: string; impact: string; nodes: string[] }[] = await page.evaluate(
          `axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html).slice(0, 3) })))`,
        )
        found.push(
          ...result
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map((each) => ({ view, ...options, ...each })),
        )
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (overflow > 0) found.push({ view, ...options, overflow })
      }
    }
    expect(found).toEqual([])
  })
})
