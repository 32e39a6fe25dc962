import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { WireChecks, WireSentence } from '../../src/web/wire.js'
import { type Browser, openBrowser } from '../support/browser.js'
import { FILES, INTENTS, runAgent } from './scene.js'
import { ADA, setUp } from './setup.js'

/** The checks on the page: through the API, and in a real browser. */

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const CHECKS = '/api/sessions/cents/checks'
const RUN = '/api/sessions/cents/check'

async function withChecks(...commands: readonly string[]) {
  const list = ['Totals of a cart add up to the cent', ...commands.map((run) => `{run: ${JSON.stringify(run)}}`)]
  const intents = INTENTS.replace('[Totals of a cart add up to the cent]', `[${list.join(', ')}]`)
  const setup = await setUp({ files: { ...FILES, '.orchestration/active_intents.yaml': intents } })
  await runAgent(setup.project.root, setup.session)
  return setup
}

describe('the routes of checks', () => {
  it('read without a run, run, and show hidden characters by name', async () => {
    const { ask } = await withChecks("printf 'a\\033[2J\\n'; exit 4")
    const before = (await ask(CHECKS)).json<WireChecks>()
    expect(before).toMatchObject({ selection: 'all', checks: [{ intentId: 'INT-007', state: 'not run' }] })
    const ran = (await ask(RUN, {})).json<WireChecks>()
    expect(ran.checks).toMatchObject([{ state: 'failed', end: 'exit code 4', output: 'a^[[2J\n' }])
    expect((await ask(CHECKS)).json<WireChecks>()).toEqual(ran)
  })

  it('run for the person of the page, and only by a request of the page', async () => {
    const { ask, workspace } = await withChecks('true')
    expect((await ask(RUN, {}, { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await ask(CHECKS)).json<WireChecks>().checks).toMatchObject([{ state: 'not run' }])
    expect((await ask(RUN, {})).status).toBe(200)
    const { checks } = await (await workspace.review('cents')).checks()
    expect(checks).toMatchObject([{ state: 'passed', evidence: { askedBy: { person: ADA } } }])
  })
})

const SENTENCE = 'Totals of a cart add up to the cent'

describe('the routes of the checklist', () => {
  it('read it, and tick for the person of the page', async () => {
    const { ask } = await withChecks('true')
    const read = async () => (await ask('/api/sessions/cents/checklist')).json<readonly WireSentence[]>()
    const tick = (more: object, headers = {}) =>
      ask('/api/sessions/cents/tick', { intentId: 'INT-007', criterion: SENTENCE, ticked: true, ...more }, headers)
    const open = { intentId: 'INT-007', criterion: SENTENCE, ticked: false }
    expect(await read()).toEqual([open])
    expect((await tick({}, { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await tick({ criterion: 'Another' })).status).toBe(404)
    expect(await read()).toEqual([open])
    expect((await tick({})).status).toBe(200)
    expect(await read()).toMatchObject([{ ticked: true, by: ADA.name }])
    await tick({ ticked: false })
    expect(await read()).toEqual([open])
  })
})

describe('the checks in a browser', () => {
  it('have a checkbox for each sentence', async () => {
    const { served, workspace } = await withChecks('true')
    const page = await browser.page(served.url)
    onTestFinished(() => page.close())
    await page.getByRole('checkbox', { name: SENTENCE }).click()
    await page.getByTitle(`INT-007, ticked by ${ADA.name}`).waitFor()
    expect(await (await workspace.review('cents')).checklist()).toMatchObject([{ ticked: true, by: ADA }])
  })

  it('tick by key, and keep the meaning of other keys', async () => {
    const { served, workspace } = await withChecks('true')
    const page = await browser.page(served.url)
    onTestFinished(() => page.close())
    const box = page.getByRole('checkbox', { name: SENTENCE })
    await box.waitFor()
    await page.keyboard.press('T')
    await page.keyboard.press('Space')
    await page.getByTitle(`INT-007, ticked by ${ADA.name}`).waitFor()
    expect(await (await workspace.review('cents')).checklist()).toMatchObject([{ ticked: true }])
    await page.keyboard.press('Space')
    await page.getByText('0 of 1 ticked').waitFor()
    await page.keyboard.press('A')
    await page.getByRole('dialog').getByRole('button', { name: 'Approve all' }).waitFor()
  })

  it('name the sentences without a tick at a commit and after it', async () => {
    const { served } = await withChecks('true')
    const page = await browser.page(served.url)
    onTestFinished(() => page.close())
    await page.getByRole('checkbox', { name: SENTENCE }).waitFor()
    await page.keyboard.press('A')
    await page.getByRole('dialog').getByRole('button', { name: 'Approve all' }).click()
    await page.locator('#commit:enabled').click()
    const question = page.getByRole('dialog')
    await question.getByRole('note', { name: 'Not ticked' }).getByText(SENTENCE).waitFor()
    await question.getByRole('button', { name: 'Commit' }).click()
    await page.getByRole('contentinfo').or(page.locator('footer.commit')).getByText(SENTENCE).waitFor()
  })

  it('name the key if policy refuses a commit without ticks', async () => {
    const { served, project } = await withChecks('true')
    const page = await browser.page(served.url)
    onTestFinished(() => page.close())
    project.write('.orchestration/policy.yaml', 'commit: { checklist: required }\n')
    await page.getByRole('checkbox', { name: SENTENCE }).waitFor()
    await page.keyboard.press('A')
    await page.getByRole('dialog').getByRole('button', { name: 'Approve all' }).click()
    await page.locator('#commit:enabled').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Commit' }).click()
    await page.getByText('T goes to the checklist.').waitFor()
  })

  it('run by key, show their output, become stale, and stop', async () => {
    const { session, project, served, workspace } = await withChecks('cat src/tax.ts; test ! -e src/slow || sleep 60')
    const page = await browser.page(served.url)
    onTestFinished(() => page.close())
    const checks = page.getByRole('region', { name: 'Checks' })
    await checks.getByText('not run').waitFor()
    await page.keyboard.press('C')
    await checks.locator('.state.passed').waitFor()
    await checks.locator('summary').click()
    expect(await checks.locator('pre').textContent()).toContain('Math.round')
    session.fs.writeFileSync(`${project.root}/src/slow`, 'x\n')
    await session.flush()
    await checks.locator('.state.stale').waitFor()
    await checks.getByRole('button', { name: 'Run the checks' }).click()
    await checks.getByRole('button', { name: 'Stop the checks' }).click()
    await checks.getByRole('button', { name: 'Run the checks' }).waitFor()
    const state = async () => (await (await workspace.review('cents')).checks()).checks.map((each) => each.state)
    expect(await state()).toEqual(['stale'])
  })
})
