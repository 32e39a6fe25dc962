import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { WireChanges } from '../../src/web/wire.js'
import { type Browser, openBrowser } from '../support/browser.js'
import { setUp } from './setup.js'

/** Files that nobody reads line by line start folded on the page, as in the terminal. */

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

it('a generated file starts folded, in every order; it is shown or approved unread only when asked', async () => {
  const { served, session, project, ask, workspace } = await setUp()
  session.fs.writeFileSync(`${project.root}/src/made.generated.ts`, 'export const made = 1\n')
  session.fs.writeFileSync(`${project.root}/src/hand.ts`, 'export const hand = 1\n')
  await session.flush()
  for (const query of ['', '?by=file', '?by=risk']) {
    const { groups } = (await ask(`/api/sessions/cents/changes${query}`)).json<WireChanges>()
    const folded = groups.flatMap(({ changes }) => changes.map((each) => [each.path, each.folded]))
    expect(folded).toContainEqual(['src/made.generated.ts', 'generated'])
    expect(folded).toContainEqual(['src/hand.ts', undefined])
  }
  const page = await browser.page(`${served.url}#/review/cents/src%2Fmade.generated.ts`)
  onTestFinished(() => page.close())
  await page.getByText('This file is folded: generated.').waitFor()
  await page.keyboard.press('y')
  await page.getByText('approves it unread').waitFor()
  const state = async () => {
    const { changes } = await (await workspace.review('cents')).changes()
    return changes.find(({ path }) => path === 'src/made.generated.ts')?.state
  }
  expect(await state()).toBe('pending')
  await page.keyboard.press('f')
  await page.getByText('made = 1').or(page.locator('.hunk-head')).first().waitFor()
  await page.keyboard.press('Y')
  await page.getByText('1 change approved.').waitFor()
  expect(await state()).toBe('approved')
})
