import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { withStateHome } from '../../src/os/state-dir.js'
import { makeSigningKey, openLedger } from '../../src/trace/index.js'
import { checkProof } from '../../src/transparency/check-proof.js'
import { leafHash, rootOf } from '../../src/transparency/merkle.js'
import { proveConsistency, proveInclusion } from '../../src/transparency/prove.js'
import { publishLedger } from '../../src/transparency/publish.js'
import { readTiles } from '../../src/transparency/tiles.js'
import { witnessLog } from '../../src/transparency/witness.js'
import { drafts, fileOf, linesOf, rechain, workspaces } from '../trace/support.js'

// A separate key: with one in the shared state, the ledgers of other suites would be signed.
const state = mkdtempSync(join(tmpdir(), 'escrow-log-state-'))
beforeAll(() => void vi.stubEnv('XDG_STATE_HOME', state))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(state, { recursive: true, force: true })
})

const workspace = workspaces()
let layout: Layout
let dir = ''
/** A name for each test, because this machine remembers what it published under a name. */
let origin = ''
beforeEach(() => {
  layout = workspace()
  dir = join(scratch(), 'log')
  origin = `example.org${dir}`
  makeSigningKey()
})

function scratch(): string {
  const path = mkdtempSync(join(tmpdir(), 'escrow-log-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const append = (count: number) => openLedger(layout).append(drafts(count))
const publish = (more: { origin?: string; hashesOnly?: boolean } = {}) =>
  publishLedger({ root: layout.root, dir, hashesOnly: false, ...more })
const checkpoint = () => readFileSync(join(dir, 'checkpoint'), 'utf8')

describe('a published ledger', () => {
  it('has the tiles of C2SP over the exact lines, and grows', async () => {
    for (const count of [3, 300, 1, 208, 1, 300]) {
      await append(count)
      const lines = linesOf(layout)
      const { size, root, added } = await publish()
      expect([size, added]).toEqual([lines.length, count])
      const [, written, base64] = checkpoint().split('\n')
      expect([Number(written), base64]).toEqual([size, root])
      expect(rootOf(size, readTiles(dir, size)).toString('base64')).toBe(root)
      const full = Math.floor(size / 256)
      for (let tile = 0; tile <= full; tile++) {
        const inTile = lines.slice(tile * 256, (tile + 1) * 256)
        if (inTile.length === 0) continue
        const name = `00${tile}${inTile.length < 256 ? `.p/${inTile.length}` : ''}`
        expect(readFileSync(join(dir, 'tile/data', name), 'utf8')).toBe(fileOf(inTile))
        expect(
          readFileSync(join(dir, 'tile/0', name)).equals(
            Buffer.concat(inTile.map((line) => leafHash(Buffer.from(line)))),
          ),
        ).toBe(true)
      }
    }
    // The partial tiles of full ones are removed.
    expect(existsSync(join(dir, 'tile/0/000.p'))).toBe(false)
    expect(existsSync(join(dir, 'tile/data/001.p'))).toBe(false)
  })

  it('is refused if the ledger was rewritten, cut or reordered, also after the directory was removed', async () => {
    await append(5)
    await publish()
    const lines = linesOf(layout)
    const changed = rechain(lines.with(1, (lines[1] ?? '').replace('"tool_call"', '"tool_cell"')), 2)
    for (const other of [changed, lines.slice(0, 4)]) {
      // A forger of the ledger may have this machine's anchors too.
      rmSync(layout.ledgerDir, { recursive: true, force: true })
      writeFileSync(`${layout.ledgerFile}`, fileOf(other))
      await openLedger(layout).anchor()
      const before = checkpoint()
      await expect(publish()).rejects.toMatchObject({
        reason: 'ledger_corrupt',
        message: expect.stringContaining('does not continue'),
      })
      expect(checkpoint()).toBe(before)
      const keptDir = dir
      dir = join(scratch(), 'elsewhere')
      await expect(publish()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
      await expect(publish({ origin: `${origin}/${other.length}` })).resolves.toMatchObject({ size: other.length })
      dir = keptDir
    }
  })

  it('is refused for a damaged ledger, an empty one, another key in the directory, and an invalid name', async () => {
    await expect(publish()).rejects.toMatchObject({ reason: 'nothing_selected' })
    await append(2)
    await expect(publish({ origin: 'two words' })).rejects.toMatchObject({ reason: 'unsupported' })
    await expect(publish({ origin: '' })).rejects.toMatchObject({ reason: 'unsupported' })
    await publish()
    await withStateHome(scratch(), async () => {
      makeSigningKey()
      await expect(publish()).rejects.toMatchObject({
        reason: 'unsupported',
        message: expect.stringContaining('not signed by the key'),
      })
    })
    writeFileSync(`${layout.ledgerFile}`, fileOf(linesOf(layout)).replace('tool_call', 'tool_cell'))
    await expect(publish()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
  })

  it('without its lines has only hashes, and gets the lines later', async () => {
    await append(3)
    await publish({ hashesOnly: true })
    expect(existsSync(join(dir, 'tile/data'))).toBe(false)
    const proof = proveInclusion(dir, '2')
    expect(proof).not.toContain('extra')
    await append(1)
    await publish()
    expect(readFileSync(join(dir, 'tile/data/000.p/4'), 'utf8')).toBe(fileOf(linesOf(layout)))
  })

  it('is completed after a crash before the checkpoint was written', async () => {
    await append(3)
    await publish()
    const before = checkpoint()
    await append(3)
    await publish()
    writeFileSync(join(dir, 'checkpoint'), before)
    expect(await publish()).toMatchObject({ size: 6, added: 3 })
    expect(checkpoint()).not.toBe(before)
  })
})

describe('proofs', () => {
  it('of a line and of an older checkpoint are valid, and a mismatch is named', async () => {
    await append(3)
    const { key } = await publish()
    const older = checkpoint()
    await append(300)
    await publish()
    const base = { logKey: key, witnesses: [], quorum: 0 }
    const lines = linesOf(layout)
    for (const line of [1, 256, 257, 303]) {
      const report = checkProof({ ...base, proof: proveInclusion(dir, `${line}`) })
      expect(report).toMatchObject({ ok: true, kind: 'inclusion', line, text: lines[line - 1], size: 303 })
    }
    const proof = proveConsistency(dir, older)
    expect(checkProof({ ...base, proof, older })).toMatchObject({ ok: true, kind: 'consistency', from: 3, size: 303 })
    expect(checkProof({ ...base, proof })).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('older checkpoint')],
    })
    expect(checkProof({ ...base, proof, older: checkpoint() })).toMatchObject({ ok: false })
    const moved = proveInclusion(dir, '5').replace('index 4', 'index 5')
    expect(checkProof({ ...base, proof: moved })).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('line 6')],
    })
    expect(checkProof({ ...base, proof: moved })).not.toHaveProperty('text')
    const forged = proveInclusion(dir, '5').replace(/^extra .*$/m, `extra ${Buffer.from('{}').toString('base64')}`)
    expect(checkProof({ ...base, proof: forged })).toMatchObject({ ok: false })
    expect(() => proveInclusion(dir, '304')).toThrow(/no line/)
    expect(() => checkProof({ ...base, proof: 'c2sp.org/tlog-proof@v1\nindex 0\n' })).toThrow(/not a proof/)
    expect(() => checkProof({ ...base, proof, logKey: 'x' })).toThrow(/not the key of a log/)
  })

  it('of a log by another key are invalid', async () => {
    await append(2)
    await publish({ origin })
    const proof = proveInclusion(dir, '1')
    await withStateHome(scratch(), async () => {
      makeSigningKey()
      const other = await publishLedger({
        root: layout.root,
        dir: join(scratch(), 'b'),
        origin,
        hashesOnly: true,
      })
      const report = checkProof({ proof, logKey: other.key, witnesses: [], quorum: 0 })
      expect(report).toMatchObject({ ok: false, problems: [expect.stringContaining("not signed by the log's key")] })
    })
  })

  it('are not made from files that were changed', async () => {
    await append(3)
    await publish()
    const tile = join(dir, 'tile/0/000.p/3')
    const bytes = readFileSync(tile)
    bytes[40] = (bytes[40] ?? 0) ^ 1
    writeFileSync(tile, bytes)
    expect(() => proveInclusion(dir, '1')).toThrow(/do not have the root/)
    rmSync(tile)
    expect(() => proveInclusion(dir, '1')).toThrow(/lacks tile\/0\/000.p\/3/)
  })
})

it('a log that was published without its lines for a while has all of them later', async () => {
  await append(300)
  await publish({ origin })
  await append(400)
  await publish({ origin, hashesOnly: true })
  await append(100)
  const { key: logKey } = await publish({ origin })
  const lines = linesOf(layout)
  for (const line of [1, 290, 600, 790]) {
    const report = checkProof({ proof: proveInclusion(dir, String(line)), logKey, witnesses: [], quorum: 0 })
    expect(report).toMatchObject({ ok: true, text: lines[line - 1] })
  }
})

describe('a witness', () => {
  it('cosigns a log that continues, and refuses one that was rewritten or cut', async () => {
    await append(3)
    const { key: logKey } = await publish({ origin })
    const home = scratch()
    const witness = (more: { logKey?: string } = {}) =>
      withStateHome(home, async () => {
        makeSigningKey()
        return witnessLog({ dir, name: 'example.org/w', ...more })
      })
    await expect(witness()).rejects.toMatchObject({ reason: 'nothing_selected' })
    const first = await witness({ logKey })
    expect(first).toMatchObject({ origin, size: 3 })
    const check = (quorum: number) =>
      checkProof({ proof: proveInclusion(dir, '1'), logKey, witnesses: [first.key, first.key], quorum })
    expect(check(1)).toMatchObject({ ok: true, witnesses: ['example.org/w'] })
    expect(check(2)).toMatchObject({ ok: false, problems: [expect.stringContaining('2 witnesses')] })
    // Publishing nothing new keeps the cosignature.
    await publish({ origin })
    expect(check(1).ok).toBe(true)
    const [old, oldLines] = [join(scratch(), 'old'), linesOf(layout)]
    cpSync(dir, old, { recursive: true })
    await append(2)
    await publish({ origin })
    expect(check(1).ok).toBe(false)
    expect(await witness()).toMatchObject({ size: 5, before: 3 })
    expect(check(1).ok).toBe(true)

    // The log is reset to three lines.
    const current = dir
    dir = old
    await expect(witness()).rejects.toMatchObject({
      reason: 'ledger_corrupt',
      message: expect.stringContaining('it was cut'),
    })

    // The publisher rewrites the ledger with all its hashes, deletes its signatures, and publishes more lines than
    // before.
    const rewritten = rechain(
      [...oldLines, ...linesOf(layout).slice(3)].with(
        1,
        (oldLines[1] ?? '').replace('"ok"', '"no"').replace('task-1', 'task-2'),
      ),
      2,
    )
    rmSync(layout.ledgerDir, { recursive: true, force: true })
    writeFileSync(`${layout.ledgerFile}`, fileOf(rewritten))
    await openLedger(layout).anchor()
    await append(4)
    rmSync(join(state, 'escrowfs/checkpoints'), { recursive: true })
    dir = join(scratch(), 'rewritten')
    await publish({ origin })
    await expect(witness()).rejects.toMatchObject({
      reason: 'ledger_corrupt',
      message: expect.stringContaining('it was rewritten'),
    })
    expect(checkpoint()).not.toContain('example.org/w')
    dir = current
    expect(await witness()).toMatchObject({ size: 5, before: 5 })
    await expect(witness({ logKey: first.key })).rejects.toMatchObject({ reason: 'unsupported' })
  })
})

it('a witness signs nothing once another process has taken the lock', async () => {
  await append(3)
  const { key: logKey } = await publish({ origin })
  const before = checkpoint()
  const [locks, seen] = [join(state, 'escrowfs/locks'), join(state, 'escrowfs/checkpoints')]
  const known = readdirSync(seen)
  const now = new Date()
  // Another process takes over while this one is stopped.
  now.getTime = () => {
    writeFileSync(join(locks, 'checkpoints.holder'), JSON.stringify({ nonce: 'other' }))
    return 0
  }
  const late = witnessLog({ dir, name: 'example.org/w', logKey, now })
  await expect(late).rejects.toMatchObject({ reason: 'session_busy' })
  expect(checkpoint()).toBe(before)
  expect(readdirSync(seen)).toEqual(known)
  rmSync(locks, { recursive: true })
})

it('a witness with one key under two names counts as one witness', async () => {
  await append(3)
  const { key: logKey } = await publish({ origin })
  const home = scratch()
  const witness = (name: string) =>
    withStateHome(home, async () => {
      makeSigningKey()
      return witnessLog({ dir, name, logKey })
    })
  const keys = [(await witness('example.org/one')).key, (await witness('example.org/two')).key]
  const check = (quorum: number) => checkProof({ proof: proveInclusion(dir, '1'), logKey, witnesses: keys, quorum })
  expect(check(1)).toMatchObject({ ok: true, witnesses: ['example.org/one', 'example.org/two'] })
  expect(check(2)).toMatchObject({
    ok: false,
    problems: ['2 witnesses are needed, and 1 of those named have cosigned the checkpoint.'],
  })
})
