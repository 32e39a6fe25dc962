import { expect, it } from 'vitest'
import { openBrowser } from '../support/browser.js'
import { team } from './sign-in-team.js'

it('in a browser, the answer of a provider on another site leads to the queue, and a file can be approved', async () => {
  const all = await team({}, 'localhost')
  const change = await all.submit()
  const browser = await openBrowser()
  try {
    const page = await browser.page(all.url)
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click()
    await page.waitForURL(`${all.provider.issuer}/interaction/**`)
    await page.locator('input[name=login]').fill('ada')
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.waitForURL(`${all.url}/`)
    expect(await page.textContent('main')).toContain('You are ada, reviewer.')
    await page.goto(`${all.url}/review/${change.id}`)
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Approve selected' }).click()
    await expect.poll(change.decisions).toMatchObject([{ reviewer: 'ada', verdict: 'approved' }])
    await page.goto(all.url)
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('link', { name: 'Sign in with your organisation' }).waitFor()
  } finally {
    await browser.close()
  }
  expect(all.hub.errors).toEqual([])
})
