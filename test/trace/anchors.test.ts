import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { makeSigningKey } from '../../src/trace/index.js'
import { openLedger } from '../../src/trace/ledger.js'
import { fuzzParameters } from '../support/fuzz.js'
import { draftOf, fileOf, linesOf, metadataOf, NO_LOCK, rechain, sha, workspaces } from './support.js'

const stateHome = process.env.XDG_STATE_HOME
const workspace = workspaces()
let state: string

beforeEach(() => {
  state = workspace().root
  process.env.XDG_STATE_HOME = state
})
afterEach(() => {
  if (stateHome === undefined) delete process.env.XDG_STATE_HOME
  else process.env.XDG_STATE_HOME = stateHome
})

/** A ledger of some records, a commit last. */
async function anchoredLedger(count: number): Promise<Layout> {
  const layout = workspace()
  const ledger = openLedger(layout, NO_LOCK)
  await ledger.append(Array.from({ length: count - 1 }, (_, n) => draftOf({ words: `naïve ${n}` })))
  await ledger.append([draftOf({ type: 'commit' })])
  return layout
}

describe('an anchor', () => {
  it('is written with each append, outside the workspace, for its owner alone', async () => {
    const layout = await anchoredLedger(3)
    const ledger = openLedger(layout)
    expect(await ledger.verify()).toEqual({ ok: true, records: 3, anchored: 3 })
    await ledger.append([draftOf()])
    expect(await ledger.verify()).toEqual({ ok: true, records: 4, anchored: 4 })
    const files = readdirSync(join(state, 'escrowfs/ledgers'))
    expect(files).toHaveLength(1)
    const head = await ledger.head()
    const text = readFileSync(join(state, 'escrowfs/ledgers', files[0] ?? ''), 'utf8')
    expect(JSON.parse(text.split('\n').at(-2) ?? '')).toMatchObject({
      ledger: head?.ledger,
      seq: 4,
      hashes: [head?.hash],
    })
    expect(readdirSync(layout.dir)).toEqual(['agent_trace.jsonl'])
  })

  it('reports by line a cut and a rewrite that changed the copies too', async () => {
    const layout = await anchoredLedger(6)
    const lines = linesOf(layout)
    rmSync(layout.ledgerDir, { recursive: true })
    writeFileSync(`${layout.ledgerFile}`, fileOf(lines.slice(0, 4)))
    expect(await openLedger(layout).verify()).toMatchObject({
      ok: false,
      firstBad: { line: 5, reason: expect.stringMatching(/this branch had record 5, and the ledger ends at 4/) },
    })
    writeFileSync(`${layout.ledgerFile}`, fileOf(rechain(lines.with(2, (lines[2] ?? '').replace('naïve', 'other')), 2)))
    expect(await openLedger(layout).verify()).toMatchObject({
      ok: false,
      firstBad: { line: 3, reason: expect.stringMatching(/another record of that number/) },
    })
    rmSync(`${layout.ledgerFile}`)
    expect(await openLedger(layout).verify()).toMatchObject({ ok: false, firstBad: { line: 1 } })
    await openLedger(layout).append([draftOf()])
    expect(await openLedger(layout).verify()).toMatchObject({
      ok: false,
      firstBad: { line: 1, reason: expect.stringMatching(/another ledger/) },
    })
  })

  it('of a rewritten ledger is moved by a person, and not by a commit', async () => {
    const layout = await anchoredLedger(6)
    rmSync(layout.ledgerDir, { recursive: true })
    writeFileSync(`${layout.ledgerFile}`, fileOf(rechain(linesOf(layout).slice(1), 0)))
    const ledger = openLedger(layout)
    await ledger.append([draftOf({ type: 'commit' })])
    await ledger.append([draftOf({ type: 'commit' })])
    expect((await ledger.verify()).ok).toBe(false)
    expect(await ledger.anchor()).toMatchObject({ seq: 7 })
    expect(await ledger.verify()).toEqual({ ok: true, records: 7, anchored: 7 })
  })

  it('detects every random tampering, also of the copies and the chain', async () => {
    const COUNT = 24
    const layout = await anchoredLedger(COUNT)
    const bytes = readFileSync(`${layout.ledgerFile}`)
    const lines = linesOf(layout)
    rmSync(layout.ledgerDir, { recursive: true })
    const at = fc.nat()
    const kind = fc.constantFrom('flip', 'drop', 'swap', 'duplicate', 'truncate', 're-chain', 'drop and re-chain')
    const mutate = (how: string, a: number, b: number): Buffer => {
      const [i, j] = [a % COUNT, (a + 1 + (b % (COUNT - 1))) % COUNT]
      const line = lines[i] ?? ''
      if (how === 'flip') {
        const offset = a % bytes.length
        return Buffer.from(bytes.with(offset, (bytes[offset] ?? 0) ^ (1 << (b % 8))))
      }
      if (how === 'drop') return Buffer.from(fileOf(lines.toSpliced(i, 1)))
      if (how === 'swap') return Buffer.from(fileOf(lines.with(i, lines[j] ?? '').with(j, line)))
      if (how === 'duplicate') return Buffer.from(fileOf(lines.toSpliced(j, 0, line)))
      if (how === 'truncate') return bytes.subarray(0, a % bytes.length)
      if (how === 'drop and re-chain') return Buffer.from(fileOf(rechain(lines.toSpliced(i, 1), i)))
      return Buffer.from(fileOf(rechain(lines.with(i, JSON.stringify({ ...JSON.parse(line), intent_id: 'X' })), i)))
    }
    await fc.assert(
      fc.asyncProperty(kind, at, at, async (how, a, b) => {
        const changed = mutate(how, a, b)
        fc.pre(!bytes.equals(changed))
        writeFileSync(`${layout.ledgerFile}`, changed)
        const result = await openLedger(layout, NO_LOCK).verify()
        expect(result.ok, how).toBe(false)
        expect(result.firstBad?.line).toBeGreaterThan(0)
      }),
      fuzzParameters(2000),
    )
  })
})

describe('a given head', () => {
  it('must be in the ledger, and an invalid one is refused', async () => {
    const layout = await anchoredLedger(3)
    const ledger = openLedger(layout)
    const head = await ledger.head()
    await ledger.append([draftOf()])
    const heads = [`Trace-Head: ${head?.seq}:${head?.hash}`, `${head?.seq}:${head?.hash}`]
    expect((await ledger.verify({ heads })).ok).toBe(true)
    const forged = `2:${head?.hash}`
    expect(await ledger.verify({ heads: [forged] })).toMatchObject({ ok: false, firstBad: { line: 2 } })
    expect(await ledger.verify({ heads: [`9:${head?.hash}`] })).toMatchObject({ ok: false, firstBad: { line: 5 } })
    await expect(ledger.verify({ heads: ['3:nonsense'] })).rejects.toMatchObject({ reason: 'nothing_selected' })
  })
})

describe('a checkpoint', () => {
  it('signs each commit once there is a key, and verify finds a false one', async () => {
    expect(makeSigningKey()).toMatchObject({ created: true, fingerprint: expect.stringMatching(/^SHA256:.{43}$/) })
    const { created, file } = makeSigningKey()
    expect([created, execFileSync('stat', ['-c', '%a', file]).toString()]).toEqual([false, '600\n'])
    const layout = await anchoredLedger(3)
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 4, anchored: 4, signed: 1 })
    const lines = linesOf(layout)
    expect(metadataOf(lines[3] ?? '')).toMatchObject({
      type: 'checkpoint',
      signed_seq: 3,
      signed_hash: sha(lines[2] ?? ''),
    })
    rmSync(join(state, 'escrowfs/ledgers'), { recursive: true })
    rmSync(layout.ledgerDir, { recursive: true })
    // Chained again by someone without the key: the checkpoint no longer matches, or its signature is invalid.
    const forged = rechain(lines, 1)
    writeFileSync(`${layout.ledgerFile}`, fileOf(rechain(lines.with(1, (lines[1] ?? '').replace('naïve', 'other')), 1)))
    expect(forged).toEqual(lines)
    expect(await openLedger(layout).verify()).toMatchObject({ ok: false, firstBad: { line: 4 } })
    const resigned = rechain(lines.with(1, (lines[1] ?? '').replace('naïve', 'other')), 1)
    const last = JSON.parse(resigned[3] ?? '')
    last.metadata['dev.escrowfs'].signed_hash = sha(resigned[2] ?? '')
    writeFileSync(`${layout.ledgerFile}`, fileOf(resigned.with(3, JSON.stringify(last))))
    expect(await openLedger(layout).verify()).toMatchObject({
      firstBad: { line: 4, reason: expect.stringMatching(/invalid signature/) },
    })
  })

  it("by another person's key counts as unknown until that key is added to one's own", async () => {
    makeSigningKey()
    const layout = await anchoredLedger(2)
    const publicKey = readFileSync(join(state, 'escrowfs/keys/own.pub.pem'))
    rmSync(join(state, 'escrowfs/keys'), { recursive: true })
    const found = { ok: true, records: 3, anchored: 3 }
    expect(await openLedger(layout).verify()).toEqual({ ...found, unknownKeys: 1 })
    mkdirSync(join(state, 'escrowfs/keys'))
    writeFileSync(join(state, 'escrowfs/keys/ann.pub.pem'), publicKey)
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
    writeFileSync(join(state, 'escrowfs/keys/ben.pub.pem'), other)
    writeFileSync(join(state, 'escrowfs/keys/bad.pub.pem'), 'no key')
    expect(await openLedger(layout).verify()).toEqual({ ...found, signed: 1 })
  })

  it('is omitted if the key file is broken, and the commit succeeds', async () => {
    mkdirSync(join(state, 'escrowfs/keys'), { recursive: true })
    writeFileSync(join(state, 'escrowfs/keys/ed25519.pem'), 'no key')
    chmodSync(join(state, 'escrowfs/keys/ed25519.pem'), 0o600)
    expect(await openLedger(await anchoredLedger(2)).verify()).toEqual({ ok: true, records: 2, anchored: 2 })
  })
})
