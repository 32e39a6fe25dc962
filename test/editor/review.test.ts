import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Browser, openBrowser } from '../support/browser.js'
import { CACHE } from '../support/npm-install.js'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'
import { FILES, openAgent } from '../web/scene.js'
import { type RunningEditor, startEditor } from './code-server.js'

/** Tests the extension in a real code-server and Chromium. Screenshots are in `.cache/editor/pictures`. */

const PICTURES = join(CACHE, 'editor', 'pictures')
const LONG = `${Array.from({ length: 30 }, (_, n) => `line ${n + 1}`).join('\n')}\n`

let browser: Browser
let editor: RunningEditor
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true })
  browser = await openBrowser()
  editor = await startEditor()
})
afterAll(async () => {
  await editor.close()
  await browser.close()
})

const row = (page: Page, name: string) => page.locator('.monaco-list-row', { hasText: name }).first()

/** Creates a session of several steps, and opens it in the editor. */
async function open(
  dark = false,
): Promise<{ project: TestWorkspace; page: Page; take: (name: string) => Promise<void> }> {
  const project = testWorkspace({ ...FILES, 'src/long.txt': LONG }, '')
  const workspace = await project.open()
  const session = await openAgent(workspace)
  const write = (id: string, path: string, text: string) =>
    session.toolCall({ tool: 'write_to_file', kind: 'edit', id }, async () =>
      session.fs.writeFileSync(`${project.root}/${path}`, text),
    )
  // Sorted by id, the order would be the reverse.
  await write('toolu_02', 'src/long.txt', LONG.replace('line 2\n', 'two\n').replace('line 28\n', 'more\n'))
  await write('toolu_01', 'src/new.txt', 'fresh text\n')
  await session.flush()
  const page = await browser.page(editor.address(project.root), { width: 1280, height: 800, dark })
  onTestFinished(() => page.close())
  await page.locator('.activitybar [aria-label^="Escrow"]').first().click()
  await row(page, 'long.txt').waitFor({ timeout: 60_000 })
  return { project, page, take: async (name) => void (await page.screenshot({ path: join(PICTURES, `${name}.png`) })) }
}

it('lists the steps in order of time, and opens a new file without an empty side', async () => {
  const { page, take } = await open()
  const rows = await page.locator('.pane-body .monaco-list-row').allInnerTexts()
  const at = (name: string) => rows.findIndex((text) => text.includes(name))
  expect(at('long.txt')).toBeGreaterThan(0)
  expect(at('long.txt')).toBeLessThan(at('new.txt'))
  await row(page, 'new.txt').click()
  await page.locator('.view-line', { hasText: 'fresh text' }).waitFor()
  await take('new-file')
  expect(await page.locator('.monaco-diff-editor').count()).toBe(0)
  await row(page, 'long.txt').click()
  await page.locator('.monaco-diff-editor .view-line', { hasText: 'two' }).first().waitFor()
  await page.locator('.codelens-decoration', { hasText: 'Approve' }).first().waitFor()
  await take('diff')
})

it('a session is reviewed with keys only: one hunk approved, one rejected with a reason and withdrawn, the rest committed', async () => {
  const { project, page, take } = await open()
  const { keyboard } = page
  await row(page, 'long.txt').click()
  await row(page, 'long.txt').locator('.monaco-tl-twistie').click()
  await row(page, '25–30').waitFor()
  const line = page.locator('.monaco-diff-editor .modified .view-line', { hasText: 'two' }).first()
  await line.waitFor()
  await line.click()
  await keyboard.press('y')
  await page.locator('.monaco-list-row', { hasText: '1–5' }).filter({ hasText: 'approved' }).waitFor()
  await page.locator('.modified .view-line', { hasText: 'more' }).first().waitFor()
  await keyboard.press('n')
  const input = page.locator('.quick-input-widget input')
  await input.waitFor()
  await input.fill('Keep line 28.')
  await take('reject')
  await keyboard.press('Enter')
  await page.locator('.monaco-list-row', { hasText: '25–30' }).filter({ hasText: 'rejected' }).waitFor()
  await page.locator('.view-line', { hasText: 'fresh text' }).waitFor()
  await keyboard.press('y')
  await page.locator('.monaco-list-row', { hasText: 'new.txt' }).filter({ hasText: 'approved' }).waitFor()
  await keyboard.press('u')
  await page.locator('.monaco-list-row', { hasText: 'new.txt' }).filter({ hasNotText: 'approved' }).waitFor()
  await keyboard.press('c')
  const question = page.locator('.monaco-dialog-box')
  await question.getByText('Commit 1 file?').waitFor()
  expect(await question.textContent()).toMatch(/src\/long\.txt · 1 of 2 hunks · \+1 −1/)
  await take('commit')
  await keyboard.press('Enter')
  await expect.poll(() => project.text('src/long.txt'), { timeout: 20_000 }).toBe(LONG.replace('line 2\n', 'two\n'))
})

it('works in a dark theme, and asks before an approval of everything', async () => {
  const { project, page, take } = await open(true)
  const session = row(page, 'cents')
  await session.click({ button: 'right' })
  await page.locator('.monaco-menu .action-label', { hasText: /^Approve$/ }).click()
  const question = page.locator('.monaco-dialog-box')
  await question.getByText('Approve 2 files?').waitFor()
  expect(await question.textContent()).toContain('2 files, 3 hunks.')
  await take('approve-all-dark')
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  expect(project.text('src/long.txt')).toBe(LONG)
})
