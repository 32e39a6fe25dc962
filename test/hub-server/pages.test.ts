import { describe, expect, it } from 'vitest'
import { changeKey } from '../../src/hub/change-key.js'
import { createChange, serveTrial } from '../hub/fixtures.js'
import { submit, uploadContent } from './kit.js'

describe('the pages for a reviewer', () => {
  const openReview = async () => {
    const hub = await serveTrial()
    const [host, reviewer] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
    const changes = [await uploadContent(hub, host, 'a.txt', 'a\n'), await uploadContent(hub, host, 'b.txt', 'b\n')]
    const { id } = (await submit(hub, host, [...changes, createChange('big.bin', { shown: undefined })])).body
    const cookie = `escrow-hub=${reviewer}`
    const read = async (path: string) => (await fetch(`${hub.url}${path}`, { headers: { cookie } })).text()
    const decide = (fields: Record<string, string>) =>
      fetch(`${hub.url}/review/${id}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: hub.url, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(Object.assign({ decider: 'Ada' }, fields)),
      })
    return { hub, id, changes, read, decide }
  }

  it('link back to the review after a refused decision', async () => {
    const { hub, id, decide } = await openReview()
    const refused = await decide({ verdict: 'approved', reason: '' })
    expect(refused.status).toBe(400)
    const page = await refused.text()
    expect(page).toContain('Select at least one file or hunk.')
    expect(page).toContain(`<a href="/review/${id}">Back to the review</a>`)
    expect(hub.errors).toEqual([])
  })

  it('show the workspace of the queue, and the time zone', async () => {
    const { hub, read } = await openReview()
    const queue = await read('/')
    expect(queue).toContain(`<h1>Queue of the workspace ${hub.scope.workspace}</h1>`)
    expect(queue).toMatch(/<td>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC<\/td>/)
  })

  it('choose all undecided files without a script, and mark approval and rejection', async () => {
    const { id, changes, read, decide } = await openReview()
    const page = await read(`/review/${id}`)
    expect(page).not.toContain(' checked')
    expect(page).toContain('<a href="?choose=all">Select all 2 undecided</a>')
    expect((await read(`/review/${id}?choose=all`)).match(/ checked>/g)).toHaveLength(2)
    expect((await decide({ key: changeKey(changes[0] ?? createChange('')), verdict: 'approved' })).status).toBe(303)
    expect((await read(`/review/${id}?choose=all`)).match(/ checked>/g)).toHaveLength(1)
    const style = await read('/style.css')
    expect(style).toMatch(/button\[value="approved"\] \{[^}]*var\(--good\)/)
    expect(style).toMatch(/button\[value="rejected"\] \{[^}]*var\(--bad\)/)
  })

  it('show some lines at first, and the following ones once these are decided', async () => {
    const hub = await serveTrial()
    const [host, reviewer] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
    const content = await uploadContent(hub, host, 'a.txt', 'x\n'.repeat(19_000))
    const changes = Array.from({ length: 60 }, (_, i) => Object.assign({}, content, { path: `f${i}.txt` }))
    const { id } = (await submit(hub, host, changes)).body
    const cookie = `escrow-hub=${reviewer}`
    const page = async () => (await fetch(`${hub.url}/review/${id}`, { headers: { cookie } })).text()
    const boxes = (text: string) => [...text.matchAll(/name="key" value="([^"]+)"/g)].map(([, key]) => key)
    const keys = changes.map(changeKey)
    const first = await page()
    expect(first.length).toBeLessThan(8 * 1024 * 1024)
    expect(boxes(first)).toEqual(keys.slice(0, 6))
    // The browser asks for a reason, only for a rejection.
    expect(first).toMatch(/<input id="reason"[^>]* required>/)
    expect(first).toMatch(/<button [^>]*value="approved" formnovalidate>/)
    expect(first.match(/The page is full/g)).toHaveLength(54)
    const chosen = keys.slice(0, 6).map((key) => ['key', key])
    const body = new URLSearchParams([['decider', 'Ada'], ...chosen, ['verdict', 'approved']])
    const headers = { cookie, origin: hub.url, 'content-type': 'application/x-www-form-urlencoded' }
    await fetch(`${hub.url}/review/${id}`, { method: 'POST', redirect: 'manual', headers, body })
    expect(boxes(await page())).toEqual(keys.slice(6, 12))
  })
})
