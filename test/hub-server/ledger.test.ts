import { describe, expect, it } from 'vitest'
import { NO_LINES } from '../../src/trace/chain.js'
import { serveTrial, trialDatabase } from '../hub/fixtures.js'
import { changeRows, foldOf, ledgerLines, textOf } from '../hub/machine-ledgers.js'
import { call, type Hub } from './kit.js'

/** Appends lines to the ledger of the token's machine. */
async function append(hub: Hub, token: string, lines: readonly Buffer[], after = NO_LINES, more = '') {
  const response = await fetch(`${hub.url}/v1/ledger?after=${after.lines}&sha256=${after.sha256}${more}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: textOf(lines),
  })
  return { status: response.status, body: await response.json() }
}

async function team() {
  const hub = await serveTrial()
  const [laptop, desk] = [await hub.token('laptop', 'host'), await hub.token('desk', 'host')]
  return { hub, laptop, desk, ada: await hub.token('Ada', 'reviewer'), root: await hub.token('Root', 'admin') }
}

describe('the ledger of a machine', () => {
  it('is read by reviewers and admins, as the bytes that the machine sent', async () => {
    const { hub, laptop, ada, root } = await team()
    const lines = ledgerLines(5)
    expect(await append(hub, laptop, lines)).toEqual({ status: 200, body: foldOf(lines) })
    expect((await call(hub, laptop, '/v1/ledger')).body).toEqual(foldOf(lines))
    for (const token of [ada, root]) {
      expect((await call(hub, token, '/v1/ledgers')).body).toMatchObject([{ machine: 'laptop', lines: 5 }])
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`${hub.url}/v1/ledgers/laptop`, { headers })
      expect(response.headers.get('content-type')).toBe('application/jsonl')
      expect(await response.text()).toBe(textOf(lines))
      expect(await (await fetch(`${hub.url}/v1/ledgers/laptop?after=3`, { headers })).text()).toBe(
        textOf(lines.slice(3)),
      )
      expect((await call(hub, token, '/v1/ledgers/desk')).status).toBe(404)
      expect((await call(hub, token, '/v1/ledgers/laptop?after=-1')).status).toBe(400)
    }
  })

  it('is not read by machines, not written by people, and not seen by other tenants', async () => {
    const { hub, laptop, ada, root } = await team()
    await append(hub, laptop, ledgerLines(1))
    for (const path of ['/v1/ledgers', '/v1/ledgers/laptop']) {
      expect((await call(hub, laptop, path)).status, path).toBe(403)
      expect((await call(hub, 'wrong', path)).status, path).toBe(401)
    }
    for (const token of [ada, root]) {
      expect((await append(hub, token, ledgerLines(1))).status).toBe(403)
      expect((await call(hub, token, '/v1/ledger')).status).toBe(403)
    }
    const other = await serveTrial()
    const eve = await other.token('Eve', 'admin')
    expect((await call(hub, eve, '/v1/ledgers')).body).toEqual([])
    expect((await call(hub, eve, '/v1/ledgers/laptop')).status).toBe(404)
  })

  it('is selected by the token, whatever a request names', async () => {
    const { hub, laptop, desk, ada } = await team()
    const [lines, forged] = [ledgerLines(3), ledgerLines(2)]
    await append(hub, laptop, lines)
    expect(await append(hub, desk, forged, foldOf(lines), '&machine=laptop&name=laptop')).toMatchObject({
      status: 409,
      body: { error: { code: 'behind' } },
    })
    expect((await append(hub, desk, forged, NO_LINES, '&machine=laptop&chain=laptop')).status).toBe(200)
    const response = await fetch(`${hub.url}/v1/ledgers/laptop`, { headers: { authorization: `Bearer ${ada}` } })
    expect(await response.text()).toBe(textOf(lines))
    expect((await call(hub, ada, '/v1/ledgers')).body).toMatchObject([{ machine: 'desk' }, { machine: 'laptop' }])
  })

  it('accepts each batch once, and none that is forked, reordered, changed, incomplete or too large', async () => {
    const { hub, laptop } = await team()
    const lines = ledgerLines(4)
    const [one, two, three] = [lines.slice(0, 1), lines.slice(0, 2), lines.slice(0, 3)]
    await append(hub, laptop, two)
    expect(await append(hub, laptop, two)).toEqual({ status: 200, body: foldOf(two) })
    expect((await append(hub, laptop, ledgerLines(2))).status).toBe(409)
    expect((await append(hub, laptop, ledgerLines(2), foldOf(one))).status).toBe(409)
    expect((await append(hub, laptop, lines.slice(2).reverse(), foldOf(two))).status).toBe(400)
    expect((await append(hub, laptop, lines.slice(3), foldOf(two))).status).toBe(400)
    expect((await append(hub, laptop, two, foldOf(two))).status).toBe(400)
    const line = lines[2]?.toString() ?? ''
    for (const body of [
      '',
      line,
      `${line}\n\n`,
      `${line.replace(',', ',\n')}\n`,
      `${line.replace('agent-2', 'x')}\n{`,
    ]) {
      const { after, sha256 } = { after: 2, sha256: foldOf(two).sha256 }
      const response = await fetch(`${hub.url}/v1/ledger?after=${after}&sha256=${sha256}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${laptop}` },
        body,
      })
      expect([response.status, body.slice(-20)]).toEqual([400, body.slice(-20)])
    }
    const long = Buffer.from(JSON.stringify({ a: 'x'.repeat(8 * 1024 * 1024) }))
    expect((await append(hub, laptop, [long], foldOf(two))).status).toBe(413)
    expect((await call(hub, laptop, '/v1/ledger')).body).toEqual(foldOf(two))
    expect((await append(hub, laptop, lines.slice(2, 3), foldOf(two))).body).toEqual(foldOf(three))
  })

  it('ends before a line that was changed in the database', async () => {
    const { hub, laptop, ada } = await team()
    const long = Buffer.from(JSON.stringify({ a: 'x'.repeat(4 * 1024 * 1024) }))
    let all = NO_LINES
    for (const line of [...ledgerLines(1), long, long, long, long, long])
      all = (await append(hub, laptop, [line], all)).body
    const database = await trialDatabase()
    const change = (number: number) =>
      changeRows(
        database,
        `update escrow.ledgers set line = line || ' ' where number = ${number} and tenant = '${hub.scope.tenant}'`,
      )
    const headers = { authorization: `Bearer ${ada}` }
    await change(6)
    const broken = await fetch(`${hub.url}/v1/ledgers/laptop`, { headers })
    await expect(broken.text()).rejects.toThrow()
    expect(hub.errors).toMatchObject([{ code: 'refused' }])
    await change(1)
    expect(await call(hub, ada, '/v1/ledgers/laptop')).toMatchObject({
      status: 403,
      body: { error: { code: 'refused' } },
    })
  })

  it('does not change the audit', async () => {
    const { hub, laptop, root } = await team()
    const audit = await hub.token('audit', 'host')
    await append(hub, audit, ledgerLines(2))
    await append(hub, laptop, ledgerLines(2))
    expect((await call(hub, root, '/v1/audit')).body).toEqual([])
  })
})
