import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { serveReview } from '../../src/web/index.js'
import { type Browser, openBrowser } from '../support/browser.js'
import { buildPageOnce } from '../support/built-page.js'
import { testWorkspace } from '../support/workspace.js'
import { FILES } from './scene.js'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

it('long names and questions of an agent push neither the list of files nor the decisions out of view', async () => {
  const project = testWorkspace(FILES, '')
  const workspace = await project.open()
  const long = 'a model with a long name '.repeat(40)
  const session = await workspace.session({ id: 'loud', agent: { tool: long, model: long } })
  await session.selectIntent('INT-007')
  for (const name of ['a', 'b', 'c', 'd']) {
    session.fs.writeFileSync(`${project.root}/src/${name}.ts`, `${name}\n`)
    await session.requestScope([`mail/${name}/**`], 'It is needed there. '.repeat(20))
  }
  await session.flush()
  const served = await serveReview({ workspace, admit: () => undefined, page: buildPageOnce() })
  onTestFinished(() => served.close())
  const page = await browser.page(served.url, { width: 1280, height: 720 })
  const decisions = page.getByRole('button', { name: 'Approve all' })
  await decisions.waitFor()
  const bar = await decisions.boundingBox()
  const list = await page.locator('.side > .files').boundingBox()
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeGreaterThan(0)
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(720)
  expect(list?.height).toBeGreaterThanOrEqual(100)
  expect((await page.locator('.who').boundingBox())?.height).toBeLessThan(100)
  await page.close()
})
