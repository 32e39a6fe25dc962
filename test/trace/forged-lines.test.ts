import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { digest } from '../../overlay/digest.js'
import { blame, land, text } from '../git/kit.js'
import { commitAll, git } from '../support/git.js'
import { testWorkspace } from '../support/workspace.js'
import { sha } from './support.js'

const APPROVED = ['export const limit = readLimit()', 'export const owner = readOwner()']
const HOSTILE = ['export const limit = stealKeys()', 'export const owner = readOwner()']
const LEDGER = '.orchestration/agent_trace.jsonl'

/** A record which claims that a person's record left other content in a file, without a changed line. */
function forgeRecord(ledger: string, before: string, after: string): string {
  const lines = ledger.split('\n').filter(Boolean)
  const last = lines.at(-1) ?? ''
  const record = JSON.parse(lines.find((line) => line.includes('"type":"commit"')) ?? '')
  const metadata = record.metadata['dev.escrowfs']
  Object.assign(record, { id: randomUUID(), files: [] })
  Object.assign(metadata, {
    seq: lines.length + 1,
    prev: sha(last),
    tx: 'forged',
    changes: [{ path: 'src/a.ts', before: digest(Buffer.from(before)), after: digest(Buffer.from(after)) }],
    lines: [{ path: 'src/a.ts', hunks: [], added: '' }],
  })
  return `${JSON.stringify(record)}\n`
}

async function repository() {
  const project = testWorkspace({ 'src/a.ts': '' })
  git(project.root, 'init', '-q', '-b', 'main')
  await land(project, { id: 'agent', path: 'src/a.ts', content: text(APPROVED), intoGit: false })
  return project
}

/** A ledger of another machine whose records each claim millions of lines of a file. */
function longLedger(records: number): string {
  let prev: string | null = null
  const lines = Array.from({ length: records }, (_, n) => {
    const path = `src/${n}.ts`
    const metadata = { ledger: LEDGER_ID, seq: n + 1, prev, type: 'commit', intent: 'INT-001', verdict: 'approved' }
    const changes = [{ path, before: digest(Buffer.from(`${n}`)), after: digest(Buffer.from(path)) }]
    const data = { ...metadata, tx: `tx-${n}`, changes, lines: [{ path, hunks: [[4_000_000, 0, 0]], added: '' }] }
    const line = JSON.stringify({ ...RECORD, id: randomUUID(), metadata: { 'dev.escrowfs': data } })
    prev = sha(line)
    return `${line}\n`
  })
  return lines.join('')
}

const LEDGER_ID = randomUUID()
const RECORD = {
  ...{ version: '0.1.0', timestamp: '2026-01-01T00:00:00.000Z', tool: { name: 'tester' }, intent_id: 'INT-001' },
  ...{ session_id: 'agent', req_id: null, files: [] },
}

describe('a ledger whose short records claim millions of lines', () => {
  it('is read in the memory of a short one', async () => {
    const project = testWorkspace({ 'src/a.ts': text(APPROVED) })
    project.write(LEDGER, longLedger(60))
    const before = process.memoryUsage().rss
    expect(await blame(project.root)).toMatchObject([{ contributor: 'unknown' }, { contributor: 'unknown' }])
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024)
  })
})

/** A ledger with branches that all start at a line of another tool, behind a long one. Each is joined. */
function forkLedger(branches: number, length: number): string {
  const lines: string[] = []
  const push = (record: object) => {
    lines.push(JSON.stringify({ ...RECORD, id: randomUUID(), ...record }))
    return sha(lines.at(-1) ?? '')
  }
  const pushOwn = (fields: object) => push({ metadata: { 'dev.escrowfs': { ledger: LEDGER_ID, ...fields } } })
  const [long, prev] = [push({ note: 'a'.repeat(length) }), push({})]
  const begin = { seq: 1, prev, foreign: { lines: 2, sha256: sha(sha(long) + prev) }, type: 'intent_cleared' }
  let tip = pushOwn(begin)
  for (let seq = 1; seq <= branches; seq++) {
    const joins = [{ ledger: LEDGER_ID, seq, hash: tip }]
    tip = pushOwn({ seq: seq + 1, prev: pushOwn(begin), joins, type: 'merge' })
  }
  return lines.map((line) => `${line}\n`).join('')
}

describe('a ledger with many branches that begin behind a long line', () => {
  it('is checked in one pass', async () => {
    const project = testWorkspace()
    project.write(LEDGER, forkLedger(1_000, 4_000_000))
    const workspace = await project.open()
    expect(await workspace.ledger.verify()).toMatchObject({ ok: true, records: 2_003 })
    await workspace.close()
  })
})

describe('a forged record that gives other content the lines of a file', () => {
  it.each([false, true])('transfers no approval (in git: %s)', async (inGit) => {
    const project = await repository()
    if (inGit) commitAll(project.root)
    expect(await blame(project.root)).toMatchObject([{ approvedBy: 'Ann' }, { approvedBy: 'Ann' }])
    const ledger = project.text(LEDGER)
    project.write(LEDGER, ledger + forgeRecord(ledger, text(APPROVED), text(HOSTILE)))
    project.write('src/a.ts', text(HOSTILE))
    if (inGit) commitAll(project.root)
    const [hostile, kept] = await blame(project.root)
    expect(hostile?.approvedBy).toBeUndefined()
    expect(kept).toMatchObject({ approvedBy: 'Ann' })
  })
})
