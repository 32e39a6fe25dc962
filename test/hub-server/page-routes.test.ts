import { expect, it } from 'vitest'
import { serveTrial } from '../hub/fixtures.js'
import { openBrowser } from '../support/browser.js'
import { call, submit, uploadContent } from './kit.js'

it('in a browser, the page of one person decides nothing for another who has signed in since', async () => {
  const hub = await serveTrial()
  const [host, ada, bo] = [
    await hub.token('laptop', 'host'),
    await hub.token('Ada', 'reviewer'),
    await hub.token('Bo', 'reviewer'),
  ]
  const { id } = (await submit(hub, host, [await uploadContent(hub, host, 'a.txt', 'a\n')])).body
  const browser = await openBrowser()
  try {
    const page = await browser.page(hub.url)
    const signIn = async (token: string, tab = page) => {
      await tab.goto(hub.url)
      await tab.locator('input[name=token]').fill(token)
      await tab.locator('button').first().click()
      await tab.getByText('Queue of the workspace').waitFor()
    }
    await signIn(ada)
    await page.goto(`${hub.url}/review/${id}`)
    await page.getByRole('checkbox').check()
    const other = await page.context().newPage()
    await other.goto(hub.url)
    await other.getByRole('button', { name: 'Sign out', exact: true }).click()
    await signIn(bo, other)
    await page.getByRole('button', { name: 'Approve selected' }).click()
    await page.getByText('You are Bo now.').waitFor()
    expect((await call(hub, host, '/v1/decisions?since=0')).body.decisions).toEqual([])
    await page.getByRole('link', { name: 'Back to the review' }).click()
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Approve selected' }).click()
    await page.waitForURL(`${hub.url}/review/${id}`)
    await expect
      .poll(async () => (await call(hub, host, '/v1/decisions?since=0')).body.decisions)
      .toMatchObject([{ reviewer: 'Bo', verdict: 'approved' }])
  } finally {
    await browser.close()
  }
  expect(hub.errors).toEqual([])
})
