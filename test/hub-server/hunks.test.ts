import { expect, it } from 'vitest'
import { digest } from '../../overlay/index.js'
import { serveTrial } from '../hub/fixtures.js'
import { threeHunks } from '../hub/hunks.js'
import { call, type Hub, submit, uploadContent } from './kit.js'

/** A submission of a file with three hunks, and a new file. */
async function submitHunks(hub: Hub) {
  const [host, ada] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
  const file = threeHunks('src/a.ts')
  for (const text of [file.before, file.after]) await uploadContent(hub, host, 'x', text)
  const other = await uploadContent(hub, host, 'b.txt', 'b\n')
  const { id } = (await submit(hub, host, [file.change, other])).body
  const cookie = `escrow-hub=${ada}`
  const page = async () => (await fetch(`${hub.url}/review/${id}`, { headers: { cookie } })).text()
  const post = (fields: string[][]) =>
    fetch(`${hub.url}/review/${id}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: hub.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams([['decider', 'Ada'], ...fields]),
    })
  const decide = (json: object) => call(hub, ada, `/v1/queue/${id}/decisions`, json)
  const decisions = async (query = '?hunks=1') => (await call(hub, host, `/v1/decisions${query}`)).body.decisions
  return { ...file, id, ada, page, post, decide, decisions }
}

it('the page has a checkbox for each hunk of a file with several, and records a decision on the selected ones', async () => {
  const at = await submitHunks(await serveTrial())
  const page = await at.page()
  const boxes = [...page.matchAll(/type="checkbox" name="hunk" value="([^"]*)"/g)].map(([, value]) => value)
  expect(boxes).toEqual(at.ids.map((id) => `${at.key} ${id}`))
  expect(page.match(/type="checkbox" name="key"/g)).toHaveLength(2)
  expect(page).not.toContain('<script')
  const chosen = [
    ['hunk', `${at.key} ${at.h1}`],
    ['hunk', `${at.key} ${at.h3}`],
  ]
  const both = await at.post([...chosen, ['key', at.key], ['verdict', 'approved']])
  expect([both.status, await both.text()]).toEqual([400, expect.stringContaining('not both')])
  expect(
    (
      await at.post([
        ['hunk', 'nonsense'],
        ['verdict', 'approved'],
      ])
    ).status,
  ).toBe(404)
  expect(await at.decisions()).toEqual([])
  expect((await at.post([...chosen, ['verdict', 'rejected'], ['reason', '<i>No.']])).status).toBe(303)
  expect(await at.decisions()).toMatchObject([{ verdict: 'rejected', hunks: [at.h1, at.h3], reason: '<i>No.' }])
  expect((await at.page()).match(/rejected by Ada: &lt;i&gt;No\./g)).toHaveLength(2)
  expect(
    (
      await at.post([
        ['hunk', `${at.key} ${at.h2}`],
        ['verdict', 'approved'],
      ])
    ).status,
  ).toBe(303)
  expect(await at.page()).toContain('approved in part')
})

it('a program decides on hunks, and a field that the hub does not know is refused', async () => {
  const at = await submitHunks(await serveTrial())
  const hunks = [{ key: at.key, ids: [at.h2] }]
  expect((await at.decide({ keys: [at.key], lines: [1], verdict: 'approved' })).status).toBe(400)
  expect((await at.decide({ keys: [], hunks: [{ key: digest('x'), ids: [at.h2] }], verdict: 'approved' })).status).toBe(
    404,
  )
  expect(await at.decisions()).toEqual([])
  expect((await at.decide({ keys: [], hunks, verdict: 'approved' })).status).toBe(204)
  expect(await at.decisions()).toMatchObject([{ verdict: 'approved', hunks: [at.h2], outcome: 'pending' }])
})

it('a machine of an earlier version, without hunks, gets only decisions on the whole file', async () => {
  const at = await submitHunks(await serveTrial())
  const decide = (verdict: string, ...ids: string[]) =>
    at.decide({ keys: [], hunks: [{ key: at.key, ids }], verdict, reason: 'No.' })
  await decide('approved', at.h1)
  expect(await at.decisions('')).toEqual([])
  await decide('rejected', at.h2)
  expect((await at.decisions('')).map(({ verdict }: { verdict: string }) => verdict)).toEqual(['rejected'])
  await decide('approved', at.h3)
  expect(await at.decisions('')).toHaveLength(1)
  await decide('approved', at.h2)
  const whole = await at.decisions('')
  expect(whole).toMatchObject([
    { verdict: 'rejected', reason: 'No.' },
    { verdict: 'approved', key: at.key },
  ])
  expect(whole.every((each: object) => !('hunks' in each))).toBe(true)
})
