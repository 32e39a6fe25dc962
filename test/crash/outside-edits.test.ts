import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommitEntry, type CommitOutcome, commitEntries, keptCommit, settledLook } from '../../src/commit/index.js'
import { type Bench, entryFor, inputFor, newBench, type Tree } from '../commit/kit.js'
import { reportingDisk } from './faulty-disk.js'

/** As long as the old and the new content, so that only the time shows the save to a check that reads no content. */
const THEIRS = 'his'

/** The ways in which another program saves `a`. */
const SAVES = {
  'by rename': (root: string) => {
    writeFileSync(join(root, '.a.swp'), THEIRS)
    renameSync(join(root, '.a.swp'), join(root, 'a'))
  },
  'by truncating': (root: string) => writeFileSync(join(root, 'a'), THEIRS),
  'through an open descriptor': (_root: string, fd: number | undefined) => {
    if (fd !== undefined) writeSync(fd, THEIRS, 0)
  },
}

interface Saved {
  readonly call: string
  readonly result: CommitOutcome | undefined
  readonly reachedEnd: boolean
  /** The file after the commit; undefined if there is none. */
  readonly found: string | undefined
  readonly bench: Bench
}

async function saveAt(
  n: number,
  how: keyof typeof SAVES,
  tree: Tree,
  entry: CommitEntry,
  strict: boolean,
  isOld: boolean,
): Promise<Saved> {
  const bench = newBench(tree)
  const target = join(bench.root, 'a')
  if (isOld && existsSync(target)) utimesSync(target, 1_000_000.5, 1_000_000.5)
  const settledStats = settledLook(lstatSync(target, { bigint: true, throwIfNoEntry: false }))
  const fd = how === 'through an open descriptor' && existsSync(target) ? openSync(target, 'r+') : undefined
  let call = ''
  const { disk } = reportingDisk((at) => {
    if (at.n !== n) return
    call = at.name
    SAVES[how](bench.root, fd)
  }, 'all')
  try {
    const result = await commitEntries(
      inputFor(
        bench,
        [{ ...entry, ...(settledStats && { readStats: settledStats }) }, entryFor('b', null, { file: 'b' })],
        { strict },
      ),
      disk,
    ).catch(() => undefined)
    const found = lstatSync(target, { throwIfNoEntry: false }) && readFileSync(target, 'utf8')
    return { call, result, reachedEnd: call === '', found, bench }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Where the saved content is now: at its path (`there`), `kept` for undo, or `lost`. */
function outcomeOf(saved: Saved): 'there' | 'kept' | 'lost' {
  if (saved.found === THEIRS) return 'there'
  const before = saved.result && keptCommit(saved.bench.layout, saved.result.tx).before('a')
  return before !== undefined && Buffer.from(before).toString() === THEIRS ? 'kept' : 'lost'
}

const CASES: [string, Tree, CommitEntry][] = [
  ['overwrite', { a: { file: 'old' } }, entryFor('a', { file: 'old' }, { file: 'new' })],
  ['delete', { a: { file: 'old' } }, entryFor('a', { file: 'old' }, null)],
  ['create', {}, entryFor('a', null, { file: 'new' })],
  ['chmod', { a: { file: 'old' } }, entryFor('a', { file: 'old' }, { file: 'old', mode: 0o600 })],
]

describe.each(CASES)('a save by another program during a commit (%s)', (op, tree, entry) => {
  const ways = Object.keys(SAVES) as (keyof typeof SAVES)[]
  // A check reads the content of a file that was written a moment ago, and only the times of an older file.
  const cases = ways.flatMap((how) =>
    [false, true].flatMap((strict) => [false, true].map((old) => [how, strict, old] as const)),
  )
  it.each(cases)('%s, strict: %s, an old file: %s: is refused, reported or kept', async (how, strict, isOld) => {
    const lost: string[] = []
    let conflicts = 0
    for (let n = 1, isOver = false; !isOver; n += 1) {
      const saved = await saveAt(n, how, tree, entry, strict, isOld)
      isOver = saved.reachedEnd
      if (!isOver && (op !== 'create' || how !== 'through an open descriptor')) {
        const where = `call ${n}: ${saved.call}`
        const outcome = outcomeOf(saved)
        if (outcome === 'lost') lost.push(saved.call)
        // A conflict leaves the save at its path. Only a save into the already replaced file is not reported.
        const isConflict = saved.result?.conflicts.some((conflict) => conflict.path === 'a') === true
        if (isConflict) expect(saved.found, where).toBe(THEIRS)
        if (isConflict) conflicts += 1
        if (saved.result === undefined) expect(outcome, where).toBe('there')
        if (saved.result !== undefined) expect(existsSync(join(saved.bench.root, 'b')), where).toBe(true)
        if (outcome === 'kept') expect(how, where).toBe('through an open descriptor')
      }
      saved.bench.remove()
    }
    // The only window: a save by rename between the last check of the file and our own rename.
    const mayLose = op === 'overwrite' && how === 'by rename' && !strict
    expect(lost).toEqual(mayLose ? ['rename'] : [])
    if (op === 'overwrite' || op === 'delete') expect(conflicts).toBeGreaterThan(0)
  })
})
