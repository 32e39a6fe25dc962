import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type CommitEntry, commitEntries, committedSince, recover } from '../../src/commit/index.js'
import { encodePlan } from '../../src/commit/plan.js'
import { EscrowError } from '../../src/core/api-error.js'
import { CrashError, crashingDisk, reportingDisk } from '../crash/faulty-disk.js'
import { type Bench, entryFor, inputFor, listing, newBench, type Tree } from './kit.js'

let bench: Bench
afterEach(() => bench.remove())

const ENTRIES: CommitEntry[] = [
  entryFor('a', { file: 'old' }, { file: 'new' }),
  entryFor('d/b', null, { file: 'new' }),
  entryFor('c', { file: 'old' }, null),
]

/** The path where a commit's own version is kept. */
const OURS = /^\.orchestration\/tx\/1-[0-9a-f]{8}-[0-9a-f]{24}\/\d+\.new$/

/** A commit that crashed right after its commit point, before it changed the tree. */
async function crashAfterDecision(): Promise<void> {
  bench = newBench({ a: { file: 'old' }, c: { file: 'old' }, d: { dir: true } })
  let isPublished = false
  const { disk } = reportingDisk(({ name, args }) => {
    if (isPublished && name !== 'lstat') throw new CrashError()
    if (name === 'link' && String(args[1]).startsWith(bench.layout.commits)) isPublished = true
  }, 'all')
  await expect(commitEntries(inputFor(bench, ENTRIES), disk)).rejects.toThrow(CrashError)
  expect(listing(bench.root)).toMatchObject({ a: 'file 644 old', c: 'file 644 old' })
}

it('rolls a decided commit forward and reports it', async () => {
  await crashAfterDecision()
  expect(committedSince(bench.layout, 0)).toEqual([])
  expect(await recover(bench.layout, bench.append)).toEqual({ finished: [1], removed: [], conflicts: [] })
  expect(listing(bench.root)).toEqual({ a: 'file 644 new', d: 'dir 755', 'd/b': 'file 644 new' })
  expect(bench.ledger).toHaveLength(1)
})

it('leaves later changes of other programs, reports them, and keeps both versions', async () => {
  await crashAfterDecision()
  writeFileSync(join(bench.root, 'a'), 'theirs')
  writeFileSync(join(bench.root, 'c'), 'theirs')
  const { conflicts } = await recover(bench.layout, bench.append)
  expect(conflicts.map(({ path, kept }) => [path, kept && readFileSync(join(bench.root, kept), 'utf8')])).toEqual([
    ['c', undefined],
    ['a', 'new'],
  ])
  expect(conflicts.map(({ seq, path, reason }) => `${seq} ${path} ${reason}`).sort()).toEqual([
    '1 a stale_file',
    '1 c stale_file',
  ])
  expect(listing(bench.root)).toMatchObject({ a: 'file 644 theirs', c: 'file 644 theirs', 'd/b': 'file 644 new' })
  const [tx = ''] = readdirSync(bench.layout.tx)
  const ours = readdirSync(join(bench.layout.tx, tx)).filter((name) => name.endsWith('.new'))
  expect(ours.map((name) => readFileSync(join(bench.layout.tx, tx, name), 'utf8'))).toEqual(['new'])
  // The owner of the stage must keep the changes that were not committed.
  expect(committedSince(bench.layout, 0).map((plan) => plan.changes.map((change) => change.path))).toEqual([['d/b']])
})

it('does not follow a parent that became a symlink', async () => {
  await crashAfterDecision()
  rmSync(join(bench.root, 'd'), { recursive: true })
  mkdirSync(join(bench.root, 'elsewhere'))
  symlinkSync('elsewhere', join(bench.root, 'd'))
  const { conflicts } = await recover(bench.layout, bench.append)
  expect(conflicts).toEqual([{ seq: 1, path: 'd/b', reason: 'path_escape', kept: expect.stringMatching(OURS) }])
  expect(readdirSync(join(bench.root, 'elsewhere'))).toEqual([])
})

it('gives up a path that fails permanently, so that later commits are not blocked', async () => {
  await crashAfterDecision()
  const { disk } = reportingDisk(({ name, args }) => {
    if (name === 'link' && /\/d?\d+\/b$/.test(String(args[1]))) throw Object.assign(new Error(), { code: 'EACCES' })
  }, 'all')
  const { conflicts } = await recover(bench.layout, bench.append, disk)
  expect(conflicts).toEqual([{ seq: 1, path: 'd/b', reason: 'access_denied', kept: expect.stringMatching(OURS) }])
  const next = await commitEntries(inputFor(bench, [entryFor('d/b', null, { file: 'again' })]))
  expect(next.seq).toBe(2)
})

it('removes only the files of crashed attempts', async () => {
  bench = newBench()
  await commitEntries(inputFor(bench, [entryFor('a', null, { file: '1' })]))
  const faulty = crashingDisk(6)
  await expect(commitEntries(inputFor(bench, [entryFor('b', null, { file: '1' })]), faulty.disk)).rejects.toThrow(
    CrashError,
  )
  const { removed } = await recover(bench.layout, bench.append)
  expect(removed).toHaveLength(1)
  expect(readdirSync(bench.layout.tx)).toHaveLength(1)
})

it('writes nothing and takes no lock when there is nothing to do', async () => {
  bench = newBench()
  expect(await recover(bench.layout, bench.append)).toEqual({ finished: [], removed: [], conflicts: [] })
  expect(existsSync(bench.layout.locks)).toBe(false)
})

it('waits for the ledger: a record that cannot be appended leaves the commit unfinished', async () => {
  bench = newBench({ a: { file: 'old' } })
  const failWithFullDisk = async () => {
    throw Object.assign(new Error('disk full'), { code: 'ENOSPC' })
  }
  const input = inputFor(bench, [entryFor('a', { file: 'old' }, { file: 'new' })], { append: failWithFullDisk })
  await expect(commitEntries(input)).rejects.toThrow(/^Commit 1 is decided but not finished/)
  expect(committedSince(bench.layout, 0)).toEqual([])
  await recover(bench.layout, bench.append)
  expect(bench.ledger).toHaveLength(1)
  expect(committedSince(bench.layout, 0)).toHaveLength(1)
})

it('names the file that cannot be changed, and is finished once it can', async () => {
  bench = newBench({ a: { file: 'old' }, c: { file: 'old' }, d: { dir: true } })
  // As an immutable file: the mode of its directory lets this process change it.
  const { disk } = reportingDisk(({ name, args }) => {
    if (name === 'rename' && String(args[1]).endsWith('/a'))
      throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
  }, 'all')
  await expect(commitEntries(inputFor(bench, ENTRIES), disk)).rejects.toMatchObject({
    reason: 'access_denied',
    message: 'Commit 1 is decided but not finished at a: operation not permitted (EPERM).',
  })
  expect((await recover(bench.layout, bench.append)).finished).toEqual([1])
  expect(listing(bench.root)).toEqual({ a: 'file 644 new', d: 'dir 755', 'd/b': 'file 644 new' })
})

it("names the commit in the ledger's own error", async () => {
  bench = newBench({ a: { file: 'old' } })
  const append = () => Promise.reject(new EscrowError('ledger_unavailable', 'No space is left.'))
  const input = inputFor(bench, [entryFor('a', { file: 'old' }, { file: 'new' })], { append })
  const message = 'Commit 1 is decided but not finished: No space is left.'
  await expect(commitEntries(input)).rejects.toMatchObject({ reason: 'ledger_unavailable', message })
  await expect(commitEntries(inputFor(bench, [], { append }))).rejects.toMatchObject({ message })
  expect((await recover(bench.layout, bench.append)).finished).toEqual([1])
})

it.each(['1', '1.done'])('never assigns a number twice when a second process took the lock (%s)', async (theirs) => {
  bench = newBench()
  const dir = { name: '1-00000000-00', inode: '0' }
  const other = { version: 3, seq: 1, tx: '1-00000000', dir, sessionId: 'other', strict: false, changes: [] } as const
  let isFirst = true
  const { disk } = reportingDisk(({ name, args }) => {
    if (name !== 'link' || !String(args[1]).endsWith('/commits/1') || !isFirst) return
    isFirst = false
    writeFileSync(join(bench.layout.commits, theirs), encodePlan({ ...other, records: [{ id: 'other' }] }))
  }, 'all')
  const result = await commitEntries(inputFor(bench, [entryFor('a', null, { file: '1' })]), disk)
  expect(result.seq).toBe(2)
  expect(committedSince(bench.layout, 0).map((plan) => plan.sessionId)).toEqual(['other', 'tester'])
  expect(readdirSync(bench.layout.commits).sort()).toEqual(['1.done', '2.done'])
})

it('changes nothing more once another process has finished the commit and others came after it', async () => {
  const tree: Tree = {
    a: { file: 'old' },
    c: { file: 'old' },
    m: { file: 'old' },
    e: { dir: true },
  }
  bench = newBench(tree)
  const entries: CommitEntry[] = [
    ...ENTRIES.filter(({ path }) => path !== 'd/b'),
    entryFor('n', null, { file: 'new' }),
    entryFor('m', { file: 'old' }, { file: 'old', mode: 0o755 }),
    entryFor('e', { dir: true }, null),
  ]
  const before = listing(bench.root)
  // The other process has applied the commit but for `n`, and a later commit has undone it. All is as it was before.
  let isFinished = false
  const { disk } = reportingDisk(({ name, args }) => {
    if (name !== 'unlink' || !String(args[0]).endsWith('.plan') || isFinished) return
    isFinished = true
    renameSync(`${bench.layout.commits}/1`, `${bench.layout.commits}/1.done`)
    writeFileSync(`${bench.layout.commits}/1.conflicts`, '["n"]')
  }, 'all')
  const { conflicts, committed } = await commitEntries(inputFor(bench, entries), disk)
  expect(isFinished).toBe(true)
  expect(listing(bench.root)).toEqual(before)
  expect(conflicts).toEqual([{ path: 'n', reason: 'stale_file' }])
  expect(committed.sort()).toEqual(['a', 'c', 'e', 'm'])
  expect(readFileSync(`${bench.layout.commits}/1.conflicts`, 'utf8')).toBe('["n"]')
})
