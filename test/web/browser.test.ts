import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { serveReview } from '../../src/web/index.js'
import { type Browser, openBrowser } from '../support/browser.js'
import { buildPageOnce } from '../support/built-page.js'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'
import { FILES, openAgent, runAgent } from './scene.js'

/** The page in a real browser, from an agent's write to the disk and the ledger. */

const ADA = { name: 'Ada' }
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function serve(project: TestWorkspace, port?: number) {
  const workspace = await project.open()
  const served = await serveReview({
    workspace,
    admit: () => undefined,
    by: ADA,
    page: buildPageOnce(),
    ...(port !== undefined && { port }),
  })
  onTestFinished(() => served.close())
  return { workspace, served, url: served.url }
}

/** An agent that has worked, and the page that shows its changes. */
async function setUp(files = FILES) {
  const project = testWorkspace(files, '')
  const { workspace, served, url } = await serve(project)
  const session = await openAgent(workspace)
  return { project, workspace, served, url, session }
}

/** Opens a page; errors in it fail the test. */
async function visit(url: string, options: Parameters<Browser['page']>[1] = {}): Promise<Page> {
  const page = await browser.page('about:blank', options)
  const wrong: string[] = []
  const requests: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on(
    'console',
    (message) =>
      message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()) && wrong.push(message.text()),
  )
  page.on('request', (request) => requests.push(new URL(request.url()).origin))
  await page.goto(url)
  onTestFinished(async () => {
    await page.close()
    expect(wrong).toEqual([])
    // The page requests nothing from other origins.
    expect([...new Set(requests)]).toEqual([new URL(url).origin])
  })
  return page
}

/** Scrolls the rows until something is there. Rows come in parts, and each part moves the end. */
async function scrolledTo(page: Page, to: 'start' | 'end', wanted: ReturnType<Page['locator']>): Promise<void> {
  const rows = page.locator('.rows')
  const scrollAndCount = async () => {
    if (to === 'start') await rows.evaluate((each) => each.scrollTo(0, 0))
    else await rows.evaluate((each) => each.scrollTo(0, each.scrollHeight))
    return wanted.count()
  }
  await expect.poll(scrollAndCount, { timeout: 30_000 }).toBeGreaterThan(0)
}

const file = (page: Page, name: string) => page.locator('.files .file', { hasText: name })
const waitForToast = (page: Page, text: string | RegExp) => page.locator('.toast', { hasText: text }).first().waitFor()
const fileTitle = (page: Page) => page.locator('.file-title h2').textContent()

/** Opens a file of the list. Rows move when classes become known, and a click on a moving row is lost. */
async function openFile(page: Page, path: string): Promise<void> {
  const click = async () => {
    await page.locator(`.files .file[title="${path}"]`).click()
    return fileTitle(page)
  }
  await expect.poll(click, { timeout: 30_000 }).toBe(path)
}

describe("from an agent's write to the disk", () => {
  it('works with the keyboard alone: a change appears, is decided, rejected with a reason, committed and undone', async () => {
    const { project, session, url } = await setUp()
    const page = await visit(url)
    await page.getByText('Nothing is staged.').waitFor()
    expect(page.url()).not.toContain('token')
    await runAgent(project.root, session)
    await file(page, 'cart.ts').waitFor()
    const groups = await page.locator('.files .group').allInnerTexts()
    expect(groups.map((text) => text.split('\n')[0])).toEqual([
      'Deletions',
      'Declared otherwise than measured',
      'Step 1, INT-007 Prices in cents, write_to_file',
    ])

    expect(await fileTitle(page)).toBe('src/old-prices.ts')
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('y')
    await waitForToast(page, '1 change approved.')
    await expect.poll(() => fileTitle(page)).toBe('src/tax.ts')
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('What should the agent hear?').fill('Half a cent goes to the shop.')
    await page.keyboard.press('Control+Enter')
    await waitForToast(page, '1 change rejected.')
    expect(await session.feedback()).toMatchObject([
      { path: 'src/tax.ts', reason: 'Half a cent goes to the shop.', by: ADA },
    ])

    await openFile(page, 'src/cart.ts')
    await page.locator('.hunk-head').nth(1).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('y')
    await waitForToast(page, '1 hunk approved.')
    await page.locator('#commit', { hasText: 'Commit 2' }).waitFor()
    await page.keyboard.press('c')
    const question = page.getByRole('dialog', { name: 'Commit 2 files?' })
    await question.waitFor()
    expect(await question.locator('.landing li').allInnerTexts()).toEqual([
      expect.stringMatching(/old-prices\.ts[\s\S]*delete/),
      expect.stringMatching(/cart\.ts[\s\S]*1 of 2 hunks[\s\S]*\+/),
    ])
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect(project.text('src/cart.ts')).not.toContain('{format(item.price)}')
    await page.keyboard.press('c')
    await page.keyboard.press('Enter')
    await waitForToast(page, '2 changes on disk now.')
    expect(project.text('src/cart.ts')).toContain('{format(item.price)}')
    expect(project.text('src/cart.ts')).toContain('let sum = 0')
    expect(project.text('src/tax.ts')).not.toContain('Math.round')
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForToast(page, /staged in session undo/)
    await page.locator('.picker option', { hasText: /^undo/ }).first().waitFor({ state: 'attached' })
    await file(page, 'old-prices.ts').waitFor()
  })

  it('lists the changes that an approval skipped, with reasons and a next step', async () => {
    const { project, url, session } = await setUp()
    await runAgent(project.root, session)
    project.write('src/tax.ts', 'another hand\n')
    const page = await visit(url)
    await page.getByRole('button', { name: 'Approve all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve all' }).click()
    const left = page.getByRole('status', { name: 'Left out' })
    await left.waitFor()
    expect(await left.textContent()).toMatch(/1 change[\s\S]*src\/tax\.ts changed on disk[\s\S]*Merge/)
    await left.getByRole('button', { name: 'Close' }).click()
    await left.waitFor({ state: 'detached' })
  })

  it('edits in place, answers a question, splits a hunk and withdraws a verdict', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url)
    await openFile(page, 'src/money.ts')
    await page.getByRole('article', { name: 'src/money.ts' }).locator('.hunk-head').waitFor()
    await page.keyboard.press('e')
    const field = page.getByLabel('Content of src/money.ts')
    await field.waitFor()
    await field.fill(`${await field.inputValue()}// reviewed\n`)
    await page.keyboard.press('Control+s')
    await waitForToast(page, 'Saved into the stage.')
    await page.locator('.flag', { hasText: 'edited' }).waitFor()
    await page.locator('.line.add', { hasText: '// reviewed' }).waitFor()

    await page
      .locator('.ask', { hasText: 'May INT-007 own test/** too?' })
      .getByRole('button', { name: 'Add to the scope' })
      .click()
    await waitForToast(page, 'Answered.')
    await page.locator('.ask').waitFor({ state: 'detached' })
    await session.flush()
    session.fs.mkdirSync(`${project.root}/test`)
    session.fs.writeFileSync(`${project.root}/test/cart.ts`, 'export {}\n')
    await session.flush()
    await page.locator('.files .file[title="test/cart.ts"]').waitFor()

    await openFile(page, 'src/cart.ts')
    await page.getByRole('button', { name: 'Divide hunk 1' }).click()
    await page.locator('.hunk-head').nth(3).waitFor()
    await page.getByRole('button', { name: 'Approve hunk 2' }).click()
    await page.locator('.hunk-head.approved').waitFor()
    await page.getByRole('button', { name: 'Take back the verdict on hunk 2' }).click()
    await page.locator('.hunk-head.approved').waitFor({ state: 'detached' })
  })

  it('shows both sides of a conflict, and keeps the chosen one', async () => {
    const { project, session, url } = await setUp()
    session.fs.writeFileSync(`${project.root}/src/money.ts`, 'export const format = (cents: number) => cents / 100\n')
    await session.flush()
    project.write('src/money.ts', 'export const format = (value: number) => value + " €"\n')
    const page = await visit(url)
    await page.locator('.flag', { hasText: 'changed on disk' }).waitFor()
    await page.keyboard.press('m')
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click()
    await waitForToast(page, /both versions between conflict markers/)
    await page.getByText('Choose for each place whose lines to keep.').waitFor()
    expect(await page.locator('.side-of pre').allInnerTexts()).toEqual([
      expect.stringContaining('cents / 100'),
      expect.stringContaining('€'),
    ])
    await page.getByRole('button', { name: 'Take disk’s' }).click()
    await page.getByRole('button', { name: 'Save into the stage' }).click()
    await waitForToast(page, 'Resolved.')
    await expect
      .poll(async () => {
        await session.flush()
        return session.fs.readFileSync(`${project.root}/src/money.ts`, 'utf8')
      })
      .toContain('€')
  })
})

describe('protection from mistakes, with the keyboard alone', () => {
  it('approving everything shows a summary, asks, and can be undone completely', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url)
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('a')
    await page.keyboard.press('A')
    const question = page.getByRole('dialog', { name: 'Approve 6 files?' })
    await question.waitFor()
    expect(await question.locator('.risks li').allInnerTexts()).toEqual([
      '1 deletion src/old-prices.ts',
      '1 binary file assets/coin.png',
      'Declared otherwise than measured: 1 file src/tax.ts',
    ])
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect(await page.locator('.meter').textContent()).toMatch(/^0 of/)
    await page.keyboard.press('A')
    await page.keyboard.press('Enter')
    await waitForToast(page, '6 changes approved.')
    await page.locator('#commit', { hasText: 'Commit 6' }).waitFor()
    await page.keyboard.press('u')
    await waitForToast(page, 'The last verdict was taken back.')
    await page.locator('#commit:disabled').waitFor()
    await page.keyboard.press('A')
    await page.keyboard.press('Enter')
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.locator('#commit:disabled').waitFor()
  })

  it('the editor has the focus, starts at the hunk, and asks before it discards text', async () => {
    const text = (last: string) =>
      `${Array.from({ length: 200 }, (_, index) => `const n${index} = ${index}\n`).join('')}${last}\n`
    const { project, session, url } = await setUp({ ...FILES, 'src/long.ts': text('old()') })
    session.fs.writeFileSync(`${project.root}/src/long.ts`, text('fresh()'))
    await session.flush()
    const page = await visit(url)
    await openFile(page, 'src/long.ts')
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('e')
    const field = page.getByLabel('Content of src/long.ts')
    await expect.poll(() => field.evaluate((area) => document.activeElement === area)).toBe(true)
    expect(await field.evaluate((area: HTMLTextAreaElement) => area.scrollTop)).toBeGreaterThan(2_000)
    expect(await page.locator('.editor-numbers').textContent()).toContain('201')
    await page.keyboard.type('ynAc')
    expect(await field.inputValue()).toContain('ynAcfresh()')
    expect(await page.locator('dialog').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByText('Throw away what you typed?').waitFor()
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toContain('ynAcfresh()')
    await page.keyboard.press('Control+s')
    await waitForToast(page, 'Saved into the stage.')
    const save = page.getByRole('button', { name: 'Save into the stage' })
    await save.waitFor({ state: 'detached' })
    await page.keyboard.press('e')
    await field.waitFor()
    await page.keyboard.type('x')
    const [below, over] = [await save.boundingBox(), await page.locator('.toasts').boundingBox()]
    expect((below?.y ?? 0) + (below?.height ?? 0)).toBeLessThanOrEqual(over?.y ?? 0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Throw away' }).click()
    await field.waitFor({ state: 'detached' })
    await page.locator('.file-actions .verdict.pending').waitFor()
  })

  it('a button of a hunk stays under the pointer while it is pressed', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url)
    await openFile(page, 'src/cart.ts')
    await page.getByRole('button', { name: 'Divide hunk 1' }).click()
    const button = page.getByRole('button', { name: 'Approve hunk 3' })
    const box = await button.boundingBox()
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2)
    await page.mouse.down()
    await page.locator('.hunk-head.current', { has: button }).waitFor()
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))))
    await page.mouse.up()
    await page.locator('.hunk-head.approved', { has: page.getByLabel('Approve hunk 3') }).waitFor()
  })

  it('an editor opened before the page gets news of a save shows the saved text', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url)
    await openFile(page, 'src/money.ts')
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('e')
    const field = page.getByLabel('Content of src/money.ts')
    await field.waitFor()
    await page.keyboard.type('// first ')
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let held = 0
    await page.route('**/changes?*', async (route) => {
      held++
      await released
      await route.continue()
    })
    await page.keyboard.press('Control+s')
    await waitForToast(page, 'Saved into the stage.')
    await page.keyboard.type('lost')
    await expect.poll(() => held).toBeGreaterThan(0)
    release()
    await field.waitFor({ state: 'detached' })
    await page.keyboard.press('e')
    await expect.poll(() => field.inputValue()).toContain('// first ')
    expect(await field.inputValue()).not.toContain('lost')
  })

  it('Esc asks before it discards a typed reason', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url)
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('n')
    const field = page.getByLabel('What should the agent hear?')
    await field.waitFor()
    await page.keyboard.type('Not this way.')
    await page.keyboard.press('Escape')
    await page.getByText('Throw away what you wrote?').waitFor()
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe('Not this way.')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Throw away' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('a refused verdict moves nothing, keeps the reason, and its message stays until it is closed', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url)
    await page.locator('.hunk-head').waitFor()
    const before = await fileTitle(page)
    const failure = { status: 409, json: { error: { reason: 'changed', message: 'It changed since it was shown.' } } }
    await page.route('**/verdicts', (route) => route.fulfill(failure))
    await page.keyboard.press('y')
    const bad = page.locator('.toast.bad', { hasText: 'It changed since it was shown.' })
    await bad.waitFor()
    expect(await fileTitle(page)).toBe(before)
    await page.keyboard.press('n')
    await page.getByLabel('What should the agent hear?').waitFor()
    await page.keyboard.type('Wrong.')
    await page.keyboard.press('Control+Enter')
    await bad.waitFor()
    expect(await page.getByLabel('What should the agent hear?').inputValue()).toBe('Wrong.')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Throw away' }).click()
    await bad.getByRole('button', { name: 'Close this message' }).click()
    await bad.waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    await page.locator('.toast.bad', { hasText: 'Nothing is approved' }).waitFor()
  })

  it('the help lists the keys of the shared table', async () => {
    const { url } = await setUp()
    const page = await visit(url)
    await page.keyboard.press('?')
    await page.locator('.keys dd').first().waitFor()
    const descriptions = await page.locator('.keys dd').allInnerTexts()
    expect(descriptions).toContain('split this hunk at its unchanged lines')
    expect(descriptions).not.toContain('leave; verdicts are kept')
  })

  it('long lines wrap in one or two columns until wrapping is turned off', async () => {
    const { project, session, url } = await setUp()
    const long = `export const text = '${'word '.repeat(120)}the end'\n`
    session.fs.writeFileSync(`${project.root}/src/money.ts`, long.repeat(40))
    await session.flush()
    const page = await visit(url)
    const last = page.locator('.rows .add', { hasText: 'the end' }).first()
    await last.waitFor()
    const cut = () =>
      page.locator('.rows').evaluate((rows) => {
        const lines = [...rows.querySelectorAll('.code')]
        const edge = rows.getBoundingClientRect().right + 1
        const tops = [...rows.querySelectorAll('[role=row]')].map((row) => row.getBoundingClientRect())
        const over = tops.some((row, index) => index > 0 && row.top < (tops[index - 1]?.bottom ?? 0) - 1)
        return (
          over || lines.some((line) => [...line.children].some((each) => each.getBoundingClientRect().right > edge))
        )
      })
    await expect.poll(cut).toBe(false)
    await page.keyboard.press('S')
    await page.locator('.diff.split.wrap .add').first().waitFor()
    await expect.poll(cut).toBe(false)
    await page.setViewportSize({ width: 360, height: 740 })
    await openFile(page, 'src/money.ts')
    await page.locator('.diff.unified.wrap .add').first().waitFor()
    await expect.poll(cut).toBe(false)
    await page.locator('.rows').evaluate((rows) => rows.scrollTo(0, rows.scrollHeight))
    await page.locator('.rows .no', { hasText: /^40$/ }).waitFor()
    await page.keyboard.press('w')
    await page.locator('.diff:not(.wrap) .line').first().waitFor()
    await page.evaluate(() => localStorage.clear())
  })

  it('search finds names and diffs; the list is by step or by file; a viewed file stays viewed until it changes', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url)
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('Math.Round')
    await expect.poll(() => page.locator('.files .file').count()).toBe(1)
    await page.keyboard.press('Enter')
    await expect.poll(() => fileTitle(page)).toBe('src/tax.ts')
    await page.locator('.line.found', { hasText: 'Math.round' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.files .file').count()).toBe(6)
    await page.keyboard.press('v')
    await expect
      .poll(async () => (await page.locator('.files .directory .cut').allInnerTexts()).join())
      .toBe('assets,docs,src')
    await page.locator('.files .directory', { hasText: 'docs' }).press('Enter')
    await expect.poll(() => page.locator('.files .file').count()).toBe(5)
    await page.getByLabel('Which files are listed').selectOption('Rejected')
    await expect.poll(() => page.locator('.files .file').allInnerTexts()).toHaveLength(1)
    await page.getByLabel('Which files are listed').selectOption('All files')
    await page.getByLabel('Viewed').check()
    await page.locator('.file.is-viewed[title="src/tax.ts"]').waitFor()
    session.fs.writeFileSync(`${project.root}/src/tax.ts`, 'export const tax = () => 0\n')
    await session.flush()
    await page.locator('.line.add', { hasText: 'tax = () => 0' }).waitFor()
    expect(await page.getByLabel('Viewed').isChecked()).toBe(false)
    await page.evaluate(() => localStorage.clear())
  })

  it('a search steps from match to match, then to the next file', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(`${url}#/review/cents/docs%2Fprices.md`)
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('prices are')
    await page.locator('.flag', { hasText: 'match 1 of 2' }).waitFor()
    await page.locator('.line.match', { hasText: 'Prices are decimals' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.line.match', { hasText: 'Prices are integers' }).waitFor()
    await page.keyboard.press('Shift+Enter')
    await page.locator('.line.match', { hasText: 'Prices are decimals' }).waitFor()
  })

  it('Enter pressed before the matches are loaded steps to the second one', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(`${url}#/review/cents/docs%2Fprices.md`)
    await page.locator('.hunk-head').waitFor()
    const answers: (() => void)[] = []
    await page.route(/matches\?/, async (route) => {
      await new Promise<void>((answer) => answers.push(answer))
      await route.continue()
    })
    await page.keyboard.press('/')
    await page.keyboard.insertText('prices are')
    await expect.poll(() => answers.length).toBe(1)
    await page.keyboard.press('Enter')
    answers[0]?.()
    await page.locator('.line.match', { hasText: 'Prices are integers' }).waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('Math.Round')
    await page.locator('.files .file[title="src/tax.ts"]').waitFor()
    await expect.poll(() => answers.length).toBe(2)
    await page.keyboard.press('Enter')
    for (const answer of answers) answer()
    await expect.poll(() => fileTitle(page)).toBe('src/tax.ts')
  })

  it('unchanged lines around a hunk appear on request, and each line once', async () => {
    const text = (last: string) =>
      Array.from({ length: 100 }, (_, index) => `line ${index + 1} ${index === 49 ? last : ''}\n`).join('')
    const { project, session, url } = await setUp({ ...FILES, 'src/long.ts': text('old') })
    session.fs.writeFileSync(`${project.root}/src/long.ts`, text('new'))
    await session.flush()
    const page = await visit(url)
    await page.locator('.hunk-head').waitFor()
    const numbers = () => page.locator('.rows .line .no:nth-child(2)').allInnerTexts()
    expect((await numbers()).filter(Boolean)).toEqual(['47', '48', '49', '50', '51', '52', '53'])
    await page.keyboard.press('+')
    await page.locator('.line', { hasText: 'line 27 ' }).waitFor()
    await scrolledTo(page, 'end', page.locator('.line', { hasText: 'line 73 ' }))
    await page.locator('.fold').last().getByRole('button', { name: 'Show 27 unchanged lines' }).click()
    await scrolledTo(page, 'end', page.locator('.line', { hasText: 'line 100 ' }))
    await page.keyboard.press('S')
    await scrolledTo(page, 'start', page.locator('.fold').first().getByRole('button', { name: '↑ 20' }))
    await page.locator('.fold').first().getByRole('button', { name: '↑ 20' }).click()
    await page.locator('.pair', { hasText: 'line 7 ' }).waitFor()
    await page.locator('.fold').first().getByRole('button', { name: 'Show 6 unchanged lines' }).click()
    await page.locator('.fold').first().waitFor({ state: 'detached' })
    await page.evaluate(() => localStorage.clear())
  })

  it('a review from the first hunk to an undone commit needs no pointer', async () => {
    const text = (first: string, last: string) =>
      [first, ...Array.from({ length: 30 }, (_, index) => `const n${index} = ${index}`), last, ''].join('\n')
    const { project, session, url } = await setUp({ ...FILES, 'src/long.ts': text('first()', 'last()') })
    session.fs.writeFileSync(`${project.root}/src/long.ts`, text('newFirst()', 'newLast()'))
    session.fs.writeFileSync(`${project.root}/src/money.ts`, 'export const format = (cents: number) => cents / 100\n')
    await session.flush()
    project.write('src/money.ts', 'export const format = (value: number) => value + " €"\n')
    const page = await visit(`${url}#/review/cents/src%2Flong.ts`)
    const { keyboard } = page
    await page.locator('.hunk-head').nth(1).waitFor()
    await keyboard.press('m')
    await page.getByRole('dialog').getByText('src/money.ts').waitFor()
    await keyboard.press('Enter')
    await waitForToast(page, /both versions between conflict markers/)
    await keyboard.press('K')
    await page.locator('.conflict-blocks:focus').waitFor()
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.getByText('Every place is decided.').waitFor()
    for (let tabs = 0; tabs < 4; tabs++) await keyboard.press('Tab')
    await keyboard.press('Enter')
    await waitForToast(page, 'Resolved.')
    await page.locator('.conflict-blocks').waitFor({ state: 'detached' })
    await keyboard.press('Y')
    await page.locator('#commit', { hasText: 'Commit 1' }).waitFor()

    await keyboard.press('g')
    await page.locator('.file-title', { hasText: 'src/long.ts' }).waitFor()
    await page.locator('.hunk-head').nth(1).waitFor()
    await keyboard.press('y')
    await page.locator('#commit', { hasText: 'Commit 2' }).waitFor()
    await page.locator('.hunk-head.current:not(.approved)').waitFor()
    await keyboard.press('n')
    await page.getByLabel('What should the agent hear?').waitFor()
    await keyboard.type('Keep the last call.')
    await keyboard.press('Control+Enter')
    await waitForToast(page, '1 hunk rejected.')
    expect(await session.feedback()).toContainEqual(
      expect.objectContaining({ path: 'src/long.ts', reason: 'Keep the last call.' }),
    )
    await page.locator('.file-title', { hasText: 'src/money.ts' }).waitFor()
    await keyboard.press('g')
    await page.locator('.hunk-head').nth(1).waitFor()
    await keyboard.press('e')
    await page.getByLabel('Content of src/long.ts').waitFor()
    await keyboard.type('// edited ')
    await keyboard.press('Control+s')
    await waitForToast(page, 'Saved into the stage.')
    await page.locator('.line.add', { hasText: '// edited' }).waitFor()
    await keyboard.press('Y')
    await page.locator('.file-actions .verdict.approved').waitFor()

    await keyboard.press('c')
    await page.getByRole('dialog', { name: 'Commit 2 files?' }).waitFor()
    await keyboard.press('Enter')
    await waitForToast(page, '2 changes on disk now.')
    expect(project.text('src/long.ts')).toContain('// edited ')
    expect(project.text('src/money.ts')).toContain('cents / 100')
    await keyboard.press('U')
    await waitForToast(page, /staged in session undo/)
  })

  it('no file opens in place of a removed one, and an empty merge shows a next step', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    project.write('src/tax.ts', 'another hand\n')
    const page = await visit(`${url}#/review/cents/src%2Fmoney.ts`)
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('Y')
    await page.locator('#commit', { hasText: 'Commit 1' }).waitFor()
    await page.keyboard.press('m')
    await page.locator('.toast.bad', { hasText: 'Commit the approved files first' }).waitFor()
    await page.goto(`${url}#/review/cents/src%2Fmoney.ts`)
    await page.locator('.hunk-head').waitFor()
    await page.keyboard.press('c')
    await page.keyboard.press('Enter')
    await page.getByText('src/money.ts is no longer staged.').waitFor()
    await page.keyboard.press('y')
    await page.keyboard.press('J')
    await page.locator('.file-actions .verdict.pending').waitFor()
  })

  it('saving a conflict keeps the file open', async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url)
    project.write('src/cart.ts', project.text('src/cart.ts').replace('let sum = 0', 'let sum = 1'))
    await page.reload()
    await file(page, 'cart.ts').waitFor()
    await openFile(page, 'src/cart.ts')
    await page.locator('.hunk-head').first().waitFor()
    await page.getByTitle(/^Merge changes made on disk/).waitFor()
    await page.keyboard.press('m')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Enter')
    const choice = page.getByRole('button', { name: 'Take disk’s' })
    await choice.first().waitFor()
    for (const each of await choice.all()) await each.press('Enter')
    await page.getByRole('button', { name: 'Save into the stage' }).press('Enter')
    await waitForToast(page, 'Resolved.')
    await choice.first().waitFor({ state: 'detached' })
    expect(await fileTitle(page)).toBe('src/cart.ts')
  })

  it('blame offers no removed file', async () => {
    const { project, session, workspace, url } = await setUp()
    await runAgent(project.root, session)
    const review = await workspace.review('cents')
    await review.changes()
    await review.approve(['src/old-prices.ts', 'src/money.ts'], ADA)
    await review.commit()
    const page = await visit(`${url}#/blame`)
    await page.locator('.known a').first().waitFor()
    expect(await page.locator('.known a').allInnerTexts()).toEqual(['src/money.ts'])
  })
})

describe('pages', () => {
  it("two open pages see each other's changes; a verdict on an old version is refused, and the page shows the current one", async () => {
    const { project, session, url } = await setUp()
    await runAgent(project.root, session)
    const [one, two] = [await visit(url), await visit(url)]
    for (const page of [one, two]) await openFile(page, 'src/tax.ts')
    await one.getByRole('button', { name: 'Approve', exact: true }).click()
    await two.locator('.file-actions .verdict.approved').waitFor()
    // The second page gets no news of the agent's write, so it decides on the old version.
    await two.route('**/changes?*', async () => undefined)
    session.fs.writeFileSync(`${project.root}/src/tax.ts`, 'export const tax = () => 0\n')
    await session.flush()
    await one.locator('.line.add', { hasText: 'tax = () => 0' }).waitFor()
    await two.getByRole('button', { name: 'Approve', exact: true }).click()
    await waitForToast(two, /after it was shown/)
    await two.unroute('**/changes?*')
    await expect.poll(() => one.locator('.file-actions .verdict').textContent()).toBe('pending')
  })

  it('report a stopped server or an address of an earlier start, and continue with a new server', async () => {
    const { project, session, served, url } = await setUp()
    await runAgent(project.root, session)
    const page = await visit(url)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await waitForToast(page, 'approved')
    await served.close()
    await page.locator('.trouble', { hasText: 'The server does not answer.' }).waitFor()
    const again = await serve(project, Number(new URL(url).port))
    await page.locator('.trouble', { hasText: 'This address is of an earlier start.' }).waitFor({ timeout: 20_000 })
    expect((await page.request.get(url)).status()).toBe(401)
    await page.goto(again.url)
    await page.locator('.file-actions .verdict.approved').waitFor()
  })

  it('show names and contents as text, and hidden characters by name', async () => {
    const { project, session, url } = await setUp()
    const name = 'src/<img src=x onerror=document.title="owned">.html'
    session.fs.writeFileSync(
      `${project.root}/${name}`,
      '<script>document.title = "owned"</script>\nconst user\u202e = 1\n',
    )
    session.fs.writeFileSync(
      `${project.root}/src/pic.svg`,
      '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=\'owned\'"><rect width="9" height="9"/></svg>',
    )
    await session.flush()
    await session.requestScope(['x/**'], '<b>bold</b>\u200b')
    const page = await visit(url)
    await page.locator('.line', { hasText: '<script>document.title' }).waitFor()
    expect(await fileTitle(page)).toBe(name)
    expect(await page.locator('.diff .hidden-char').textContent()).toBe('<U+202E>')
    await page.locator('.ask', { hasText: '<b>bold</b><U+200B>' }).waitFor()
    await openFile(page, 'src/pic.svg')
    await expect
      .poll(() => page.locator('.images img').evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0)
    expect(await page.title()).toBe('escrow · review')
  })
})

describe('large change sets', () => {
  it('2,000 changes with 50,000 lines render only the visible part', async () => {
    const lines = (word: string) => Array.from({ length: 50_000 }, (_, index) => `${word} ${index}\n`).join('')
    const { project, session, url } = await setUp({ ...FILES, 'src/huge.txt': 'old\n' })
    for (let at = 0; at < 2_000; at++)
      session.fs.writeFileSync(`${project.root}/src/file${String(at).padStart(4, '0')}.txt`, `${at}\n`)
    session.fs.writeFileSync(`${project.root}/src/huge.txt`, lines('line'))
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

describe('accessibility', () => {
  it('axe finds nothing serious in any view, narrow or wide, dark or light', async () => {
    const { project, workspace, session, url } = await setUp()
    await runAgent(project.root, session)
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
