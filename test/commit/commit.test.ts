import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { digest } from '../../overlay/digest.js'
import { type Disk, realDisk } from '../../src/commit/disk.js'
import { type CommitEntry, commitEntries, committedSince, keptCommit } from '../../src/commit/index.js'
import { UNDO_COMMITS } from '../../src/commit/journal.js'
import { EscrowError } from '../../src/core/api-error.js'
import { type Bench, entryFor, inputFor, listing, newBench, type Tree } from './kit.js'

let bench: Bench
const start = (tree: Tree = {}) => {
  bench = newBench(tree)
  onTestFinished(() => bench.remove())
  return bench
}

const commit = (entries: CommitEntry[], more = {}) => commitEntries(inputFor(bench, entries, more))

async function refusalOf(run: Promise<unknown>): Promise<EscrowError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof EscrowError) return error
  throw new Error(`not refused: ${String(error)}`)
}

describe('each kind of change', () => {
  it('creates a file with exactly its mode, and its missing parents', async () => {
    start()
    const result = await commit([entryFor('a/b/run.sh', null, { file: 'echo hi', mode: 0o751 })])
    expect(listing(bench.root)).toMatchObject({ 'a/b/run.sh': 'file 751 echo hi' })
    expect(lstatSync(join(bench.root, 'a')).mode & 0o777).toBe(0o777 & ~process.umask())
    expect(result).toMatchObject({ seq: 1, committed: ['a/b/run.sh'], conflicts: [] })
  })

  it('overwrites, deletes, links, chmods and creates directories in one commit', async () => {
    const before: Tree = {
      'over.txt': { file: 'old' },
      'gone.txt': { file: 'bye' },
      link: { link: 'over.txt' },
      'mode.sh': { file: 'x' },
      dir: { dir: true },
      'emptied/a': { file: '1' },
    }
    start(before)
    await commit([
      entryFor('over.txt', { file: 'old' }, { file: 'new', mode: 0o600 }),
      entryFor('gone.txt', { file: 'bye' }, null),
      entryFor('link', { link: 'over.txt' }, { link: 'mode.sh' }),
      entryFor('mode.sh', { file: 'x' }, { file: 'x', mode: 0o755 }),
      entryFor('dir', { dir: true }, { dir: true, mode: 0o700 }),
      entryFor('emptied', { dir: true }, null),
      entryFor('emptied/a', { file: '1' }, null),
      entryFor('fresh', null, { dir: true, mode: 0o750 }),
      entryFor('fresh/link', null, { link: '../over.txt' }),
    ])
    expect(listing(bench.root)).toEqual({
      'over.txt': 'file 600 new',
      link: 'link mode.sh',
      'mode.sh': 'file 755 x',
      dir: 'dir 700',
      fresh: 'dir 750',
      'fresh/link': 'link ../over.txt',
    })
  })

  it.each<[string, Tree, CommitEntry[], Record<string, string>]>([
    ['file to link', { a: { file: '1' } }, [entryFor('a', { file: '1' }, { link: 'b' })], { a: 'link b' }],
    ['link to file', { a: { link: 'b' } }, [entryFor('a', { link: 'b' }, { file: '2' })], { a: 'file 644 2' }],
    [
      'file to directory',
      { a: { file: '1' } },
      [entryFor('a/x', null, { file: '2' }), entryFor('a', null, { dir: true }), entryFor('a', { file: '1' }, null)],
      { a: 'dir 755', 'a/x': 'file 644 2' },
    ],
    [
      'directory to file',
      { 'a/x/y': { file: '1' } },
      [
        entryFor('a', null, { file: '2' }),
        entryFor('a', { dir: true }, null),
        entryFor('a/x', { dir: true }, null),
        entryFor('a/x/y', { file: '1' }, null),
      ],
      { a: 'file 644 2' },
    ],
    [
      'link to directory',
      { a: { link: 'b' } },
      [entryFor('a', { link: 'b' }, null), entryFor('a', null, { dir: true })],
      { a: 'dir 755' },
    ],
  ])('turns a %s', async (_name, tree, entries, after) => {
    start(tree)
    await commit(entries)
    expect(listing(bench.root)).toEqual(after)
  })

  it('fills a directory whose final mode is read-only', async () => {
    start({ 'ro/old': { file: '1' } })
    await commit([
      entryFor('ro', { dir: true }, { dir: true, mode: 0o555 }),
      entryFor('ro/new', null, { file: '2' }),
      entryFor('made', null, { dir: true, mode: 0o500 }),
      entryFor('made/x', null, { file: '3' }),
    ])
    expect(listing(bench.root)).toMatchObject({
      ro: 'dir 555',
      'ro/new': 'file 644 2',
      made: 'dir 500',
      'made/x': 'file 644 3',
    })
  })

  it("leaves a directory that has another program's entries", async () => {
    start({ 'd/mine': { file: '1' }, 'd/theirs': { file: '2' } })
    const result = await commit([entryFor('d', { dir: true }, null), entryFor('d/mine', { file: '1' }, null)])
    expect(listing(bench.root)).toEqual({ d: 'dir 755', 'd/theirs': 'file 644 2' })
    expect(result.conflicts).toEqual([])
  })

  it.each(['over', 'mode'])('separates a hard link outside of the workspace from a change (%s)', async (how) => {
    start({ 'a.txt': { file: 'old' } })
    const outside = join(bench.root, 'other-name')
    linkSync(join(bench.root, 'a.txt'), outside)
    await commit([entryFor('a.txt', { file: 'old' }, { file: how === 'over' ? 'new' : 'old', mode: 0o600 })])
    expect(listing(bench.root)).toEqual({
      'a.txt': `file 600 ${how === 'over' ? 'new' : 'old'}`,
      'other-name': 'file 644 old',
    })
  })

  it('keeps bytes that are not UTF-8', async () => {
    start()
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 37) % 256)
    const next = { type: 'file', digest: digest(bytes), mode: 0o644 } as const
    await commit([{ path: 'bin', op: 'create', old: null, new: next, content: () => bytes }])
    expect(readFileSync(join(bench.root, 'bin')).equals(bytes)).toBe(true)
  })

  it('commits many files with one flush', async () => {
    start()
    const names = Array.from({ length: 40 }, (_, i) => `d${i}/f.txt`)
    await commit(names.map((name) => entryFor(name, null, { file: name })))
    expect(Object.keys(listing(bench.root)).filter((path) => path.endsWith('.txt'))).toHaveLength(40)
  })

  it('leaves an identical directory that another program created', async () => {
    start({ 'd/theirs': { file: '1' } })
    await commit([entryFor('d', null, { dir: true }), entryFor('d/mine', null, { file: '2' })])
    expect(listing(bench.root)).toEqual({ d: 'dir 755', 'd/mine': 'file 644 2', 'd/theirs': 'file 644 1' })
  })

  it('gives the same result in strict mode', async () => {
    start({ a: { file: '1' }, l: { link: 'a' } })
    await commit([entryFor('a', { file: '1' }, { file: '2' }), entryFor('l', { link: 'a' }, { file: '3' })], {
      strict: true,
    })
    expect(listing(bench.root)).toEqual({ a: 'file 644 2', l: 'file 644 3' })
  })
})

describe('a refused commit', () => {
  it('lists every bad path and changes nothing', async () => {
    start({
      'moved.txt': { file: 'theirs' },
      'mode.txt': { file: 'x', mode: 0o600 },
      'there.txt': { file: 'theirs' },
      real: { dir: true },
      linked: { link: 'real' },
      'file.txt': { file: 'x' },
      good: { file: 'x' },
    })
    const before = listing(bench.root)
    const error = await refusalOf(
      commit(
        [
          entryFor('good', { file: 'x' }, { file: 'y' }),
          entryFor('moved.txt', { file: 'mine' }, { file: 'new' }),
          entryFor('mode.txt', { file: 'x' }, { file: 'new', mode: 0o700 }),
          entryFor('there.txt', null, { file: 'new' }),
          entryFor('absent.txt', { file: 'x' }, null),
          entryFor('no/parent.txt', { file: 'x' }, { file: 'y' }),
          entryFor('linked/new.txt', null, { file: 'new' }),
          entryFor('file.txt/new.txt', null, { file: 'new' }),
          entryFor('denied.txt', null, { file: 'new' }),
          entryFor('broken-rule.txt', null, { file: 'new' }),
          entryFor('suid', null, { file: 'new', mode: 0o4755 }),
          entryFor('../out', null, { file: 'new' }),
          entryFor('sub/.GIT/hooks/x', null, { file: 'new' }),
          { ...entryFor('other-bytes', null, { file: 'shown' }), content: () => Buffer.from('swapped') },
          entryFor('twice', null, { file: '1' }),
          entryFor('twice', null, { file: '2' }),
          { ...entryFor('misfit', null, { file: '1' }), op: 'delete' },
        ],
        {
          gate: ({ path }: CommitEntry) => {
            if (path === 'broken-rule.txt') throw new Error('rule broke')
            return path === 'denied.txt' ? { path, reason: 'scope_violation', message: 'Out of scope.' } : undefined
          },
        },
      ),
    )
    expect(error.refused?.map(({ path, reason }) => `${path} ${reason}`).sort()).toEqual([
      '../out path_escape',
      'absent.txt stale_file',
      'broken-rule.txt policy_invalid',
      'denied.txt scope_violation',
      'file.txt/new.txt path_escape',
      'linked/new.txt path_escape',
      'misfit unsupported',
      'mode.txt stale_file',
      'moved.txt stale_file',
      'no/parent.txt stale_file',
      'other-bytes stale_file',
      'sub/.GIT/hooks/x protected_path',
      'suid protected_path',
      'there.txt stale_file',
      'twice unsupported',
    ])
    expect(error.reason).toBe('stale_file')
    expect(error.refused?.find(({ path }) => path === 'moved.txt')?.message).toBe(
      'moved.txt changed on disk after the agent read it.',
    )
    expect(listing(bench.root)).toEqual(before)
    expect(bench.ledger).toEqual([])
    expect(readdirSync(bench.layout.tx)).toEqual([])
    expect(readdirSync(bench.layout.commits)).toEqual([])
  })

  it('refuses content that differs from the approved content, even if the rest is valid', async () => {
    start()
    const bad = { ...entryFor('a', null, { file: 'shown' }), content: () => Buffer.from('swapped') }
    const error = await refusalOf(commit([bad, entryFor('b', null, { file: 'fine' })]))
    expect(error.refused?.map(({ path }) => path)).toEqual(['a'])
    expect(listing(bench.root)).toEqual({})
    expect(readdirSync(bench.layout.tx)).toEqual([])
  })

  it('refuses to replace a directory that has other entries with a file', async () => {
    start({ 'a/mine': { file: '1' }, 'a/theirs': { file: '2' } })
    const entries = [
      entryFor('a', { dir: true }, null),
      entryFor('a/mine', { file: '1' }, null),
      entryFor('a', null, { file: '3' }),
    ]
    const error = await refusalOf(commit(entries))
    expect(error.refused?.map(({ path, reason }) => `${path} ${reason}`)).toEqual(['a stale_file'])
  })

  it('refuses a path on another file system than the journal', async () => {
    start({ d: { dir: true } })
    // A test cannot mount, so it pretends that the journal is in /proc.
    const disk: Disk = { ...realDisk, openDir: (path) => realDisk.openDir(path.endsWith('/tx') ? '/proc' : path) }
    const input = inputFor(bench, [entryFor('d/a', null, { file: '1' }), entryFor('b', null, { file: '1' })])
    const error = await refusalOf(commitEntries(input, disk))
    expect(error.refused?.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      'd/a cross_device',
      'b cross_device',
    ])
    expect(error.hint).toContain('make that directory a workspace of its own')
  })

  it('finds a FIFO at the path without opening it', async () => {
    start()
    const { execFileSync } = await import('node:child_process')
    execFileSync('mkfifo', [join(bench.root, 'pipe')])
    const error = await refusalOf(commit([entryFor('pipe', { file: 'x' }, { file: 'y' })]))
    expect(error.reason).toBe('stale_file')
  })
})

describe('the journal', () => {
  it('numbers commits, reconciles stages and keeps old contents', async () => {
    start({ a: { file: '1' }, l: { link: 'x' } })
    const first = await commit([entryFor('a', { file: '1' }, { file: '2' }), entryFor('l', { link: 'x' }, null)])
    const second = await commit([entryFor('deep/b', null, { file: '3' })])
    expect([first.seq, second.seq]).toEqual([1, 2])
    expect(bench.ledger.map((record) => record.tx)).toEqual([first.tx, second.tx])
    expect(committedSince(bench.layout, 0).map((plan) => plan.changes.map((change) => change.path))).toEqual([
      ['l', 'a'],
      ['deep/b'],
    ])
    expect(committedSince(bench.layout, 1)).toMatchObject([{ seq: 2, tx: second.tx, sessionId: 'tester' }])
    const keptData = keptCommit(bench.layout, first.tx)
    expect(
      [keptData.before('a'), keptData.before('l'), keptData.before('b')].map(
        (bytes) => bytes && Buffer.from(bytes).toString(),
      ),
    ).toEqual(['1', 'x', undefined])
    expect(keptCommit(bench.layout, second.tx).changes.map((change) => change.path)).toEqual(['deep', 'deep/b'])
  })

  it('is read once for all sessions that reconcile with it', async () => {
    start()
    await commit([entryFor('a', null, { file: '1' })])
    const ago = new Date(Date.now() - 60_000)
    utimesSync(bench.layout.commits, ago, ago)
    const read: string[] = []
    const disk: Disk = {
      ...realDisk,
      readFile: (path) => {
        read.push(path)
        return realDisk.readFile(path)
      },
    }
    const first = committedSince(bench.layout, 0, disk)
    expect(committedSince(bench.layout, 0, disk)).toEqual(first)
    expect(committedSince(bench.layout, 1, disk)).toEqual([])
    expect(read).toEqual([`${bench.layout.commits}/1.done`])
    await commit([entryFor('b', null, { file: '2' })])
    expect(committedSince(bench.layout, 0, disk).map(({ seq }) => seq)).toEqual([1, 2])
  })

  it('prunes the oldest replaced contents', async () => {
    start({ a: { file: '0' } })
    const first = await commit([entryFor('a', { file: '0' }, { file: '1' })])
    for (let i = 1; i <= UNDO_COMMITS; i += 1) {
      await commit([entryFor('a', { file: `${i}` }, { file: `${i + 1}` })])
    }
    expect(() => keptCommit(bench.layout, first.tx)).toThrow(expect.objectContaining({ reason: 'undo_expired' }))
    expect(readdirSync(bench.layout.tx)).toHaveLength(UNDO_COMMITS)
    expect(committedSince(bench.layout, 0)).toHaveLength(UNDO_COMMITS + 1)
  })

  it('prunes all but the given number of commits', async () => {
    start({ a: { file: '0' } })
    const [, second, third] = [
      await commit([entryFor('a', { file: '0' }, { file: '1' })]),
      await commit([entryFor('a', { file: '1' }, { file: '2' })]),
      await commit([entryFor('a', { file: '2' }, { file: '3' })], { undoable: 2 }),
    ]
    expect(() => keptCommit(bench.layout, '1')).toThrow(expect.objectContaining({ reason: 'undo_expired' }))
    const before = [second, third].map(({ tx }) => Buffer.from(keptCommit(bench.layout, tx).before('a') ?? []))
    expect(before.map(String)).toEqual(['1', '2'])
  })

  it('does not find a commit by an invalid name', async () => {
    start()
    expect(() => keptCommit(bench.layout, '../1-ab')).toThrow(expect.objectContaining({ reason: 'nothing_selected' }))
  })

  it('commits one after the other when asked at the same time', async () => {
    start()
    const results = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => commit([entryFor(name, null, { file: name })])),
    )
    expect(results.map((result) => result.seq).sort()).toEqual([1, 2, 3, 4])
    expect(Object.keys(listing(bench.root))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('refuses all commits once a published plan was altered', async () => {
    start({ a: { file: '1' } })
    mkdirSync(bench.layout.commits, { recursive: true })
    writeFileSync(join(bench.layout.commits, '1'), '{"version":1}\n0000\n')
    const error = await refusalOf(commit([entryFor('a', { file: '1' }, { file: '2' })]))
    expect(error.reason).toBe('ledger_corrupt')
    expect(listing(bench.root)).toEqual({ a: 'file 644 1' })
  })
})

describe('any set of changes', () => {
  it('turns a tree into any other tree', async () => {
    const thing = fc.oneof(
      fc.record({ file: fc.constantFrom('', '1', '2'), mode: fc.constantFrom(0o644, 0o755, 0o600) }),
      fc.record({ link: fc.constantFrom('x', '../y') }),
    )
    const tree = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd/a', 'd/b', 'd/e/a', 'd/e/b', 'f/a'), thing, {
      maxKeys: 6,
    })
    await fc.assert(
      fc.asyncProperty(tree, tree, fc.boolean(), async (before, after, strict) => {
        const own = newBench(before)
        try {
          const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
          const entries = paths
            .map((path) => entryFor(path, before[path] ?? null, after[path] ?? null))
            .filter((entry) => JSON.stringify(entry.old) !== JSON.stringify(entry.new))
          await commitEntries(inputFor(own, entries, { strict }))
          const isLeaf = ([, text]: [string, string]) => !text.startsWith('dir')
          const wanted = newBench(after)
          expect(Object.entries(listing(own.root)).filter(isLeaf)).toEqual(
            Object.entries(listing(wanted.root)).filter(isLeaf),
          )
          wanted.remove()
        } finally {
          own.remove()
        }
      }),
      { numRuns: 40 },
    )
  })
})
