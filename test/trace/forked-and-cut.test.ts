import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { withStateHome } from '../../src/os/state-dir.js'
import { openLedger } from '../../src/trace/ledger.js'
import { draftOf, drafts, fileOf, linesOf, metadataOf, rechain, sha, workspaces } from './support.js'

/** A ledger that git left with two branches, while one of them also lost its end: a squash that took an older file. */

const workspace = workspaces()
const places: string[] = []
afterEach(() => {
  for (const place of places.splice(0)) rmSync(place, { recursive: true, force: true })
})

/** Another machine: it knows nothing of the ledgers of this one. */
function onOtherMachine<T>(work: () => Promise<T>): Promise<T> {
  const place = mkdtempSync(join(tmpdir(), 'escrowfs-elsewhere-'))
  places.push(place)
  return withStateHome(place, work)
}

interface Scene {
  readonly layout: Layout
  /** The lines that both branches have, and those that only one has. */
  readonly common: readonly string[]
  readonly mine: readonly string[]
  readonly theirs: readonly string[]
}

/** Two records in common, three of another machine, and three of this one, whose file it is. */
async function scene(): Promise<Scene> {
  const layout = workspace()
  const other = await onOtherMachine(async () => {
    await openLedger(layout).append(drafts(5))
    return linesOf(layout)
  })
  const [common, theirs] = [other.slice(0, 2), other.slice(2)]
  rmSync(layout.ledgerDir, { recursive: true })
  writeFileSync(`${layout.ledgerFile}`, fileOf(common))
  await openLedger(layout).append([...drafts(2), draftOf({ type: 'commit' })])
  return { layout, common, theirs, mine: linesOf(layout).slice(2) }
}

const write = (layout: Layout, ...parts: readonly (readonly string[])[]) =>
  writeFileSync(`${layout.ledgerFile}`, fileOf(parts.flat()))

describe('a ledger that has two branches and lost records of one', () => {
  it.each([
    ['the end of the branch', (mine: readonly string[]) => mine.slice(0, 1)],
    ['the whole branch but for its first record, which is last', (mine: readonly string[]) => mine.slice(0, 1)],
  ])('refuses an append and a join, and continues when a person accepts the loss: %s', async (name, keep) => {
    const { layout, common, theirs, mine } = await scene()
    const isLast = name.includes('last')
    write(layout, common, ...(isLast ? [theirs, keep(mine)] : [keep(mine), theirs]))
    const ledger = openLedger(layout)
    await expect(ledger.append(drafts(1))).rejects.toMatchObject({ reason: 'ledger_fork' })
    await expect(ledger.join()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
    expect(linesOf(layout)).toHaveLength(6)
    await ledger.anchor()
    // The branches are still open, and no record was written.
    await expect(ledger.append(drafts(1))).rejects.toMatchObject({ reason: 'ledger_fork' })
    expect(linesOf(layout)).toHaveLength(6)
    await ledger.join({ name: 'Ada' })
    const ends = [theirs.at(-1), keep(mine).at(-1)].map((line) => sha(line ?? ''))
    const record = metadataOf(linesOf(layout).at(-1) ?? '')
    expect(record).toMatchObject({ type: 'merge', joins: [{ hash: isLast ? ends[0] : ends[1] }] })
    await ledger.append(drafts(1))
    for (const each of [ledger, openLedger(layout)])
      expect(await each.verify()).toEqual({ ok: true, records: 8, anchored: 7 })
  })

  it.each([0, 1])('reports each branch that is cut after its loss was accepted: %i', async (side) => {
    const { layout, common, theirs, mine } = await scene()
    const remaining = [mine.slice(0, 2), theirs]
    write(layout, common, ...remaining)
    await openLedger(layout).anchor()
    write(layout, common, ...remaining.map((lines, n) => (n === side ? lines.slice(0, -1) : lines)))
    rmSync(layout.ledgerDir, { recursive: true, force: true })
    await expect(openLedger(layout).join()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
    write(layout, common, ...remaining)
    await openLedger(layout).join()
    expect(await openLedger(layout).verify()).toMatchObject({ ok: true })
  })

  it('keeps the copies of the lost records until a person accepts the loss', async () => {
    const { layout, common, theirs, mine } = await scene()
    write(layout, common, mine.slice(0, 1), theirs)
    const before = readdirSync(layout.ledgerDir).sort()
    await expect(openLedger(layout).append(drafts(1))).rejects.toMatchObject({ reason: 'ledger_fork' })
    await expect(openLedger(layout).join()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
    expect(readdirSync(layout.ledgerDir).sort()).toEqual(before)
  })

  it('is accepted even if older copies contradict it: a rebase gave numbers to other records', async () => {
    const layout = workspace()
    await openLedger(layout).append(drafts(3))
    const lines = linesOf(layout)
    const other = lines.with(1, (lines[1] ?? '').replace('INT-001', 'INT-002'))
    write(layout, rechain([...other, (lines[2] ?? '').replace('task-1', 'task-2')], 1))
    expect((await openLedger(layout).verify()).ok).toBe(false)
    await openLedger(layout).anchor()
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 4, anchored: 4 })
    await openLedger(layout).append(drafts(1))
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 5, anchored: 5 })
  })
})
