import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { realDisk } from '../../src/commit/disk.js'
import { type CommitEntry, commitEntries } from '../../src/commit/index.js'
import { KEPT_PLANS, publishPlan } from '../../src/commit/journal.js'
import { quickDisk } from '../crash/faulty-disk.js'
import { type Bench, entryFor, inputFor, newBench, type Tree } from './kit.js'

let bench: Bench
const start = (tree: Tree = {}) => {
  bench = newBench(tree)
}
afterEach(() => bench.remove())

const commit = (entries: CommitEntry[]) => commitEntries(inputFor(bench, entries), quickDisk())

describe('the journal of many commits', () => {
  it('prunes old plans, and reuses no number', async () => {
    start({ a: { file: '0' } })
    await commit([entryFor('b', null, { file: '1' })])
    for (let seq = 2; seq <= KEPT_PLANS + 5; seq += 1) writeFileSync(join(bench.layout.commits, `${seq}.done`), '')
    const next = await commit([entryFor('a', { file: '0' }, { file: '1' })])
    expect(next.seq).toBe(KEPT_PLANS + 6)
    expect(readdirSync(bench.layout.commits)).toHaveLength(KEPT_PLANS)
    const draft = join(bench.layout.attempts, 'late')
    writeFileSync(draft, 'a plan of long ago')
    expect(publishPlan(realDisk, bench.layout, draft, 3)).toBe(false)
    expect(readdirSync(bench.layout.commits)).toHaveLength(KEPT_PLANS)
  })
})
