import { lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type CommitEntry, commitEntries, committedSince, keptCommit, recover } from '../../src/commit/index.js'
import { CrashError, reportingDisk } from '../crash/faulty-disk.js'
import { SHAPES } from '../crash/shapes.js'
import { type Bench, entryFor, inputFor, listing, newBench } from './kit.js'

const SHAPE = SHAPES.find(({ name }) => name.startsWith('a directory moves'))

let bench: Bench
afterEach(() => bench.remove())

function start(): { before: Record<string, string>; entries: CommitEntry[] } {
  if (SHAPE === undefined) throw new Error('no shape moves a directory')
  bench = newBench(SHAPE.before)
  return { before: listing(bench.root), entries: SHAPE.entries }
}

const write = (path: string, text: string) => writeFileSync(join(bench.root, path), text)
const commit = (entries: CommitEntry[]) => commitEntries(inputFor(bench, entries))

/** A commit that crashed right before or after the directory was moved. */
async function cutOff(when: 'before' | 'after'): Promise<Record<string, string>> {
  const { before, entries } = start()
  let isMoved = false
  const { disk } = reportingDisk(({ name, args }) => {
    const isMove = name === 'rename' && String(args[1]).endsWith('/m')
    if (isMoved || (isMove && when === 'before')) throw new CrashError()
    isMoved = isMove
  }, 'all')
  await expect(commitEntries(inputFor(bench, entries), disk)).rejects.toThrow(CrashError)
  return before
}

describe('refuses a directory move, with nothing changed,', () => {
  const cases: Record<string, () => void> = {
    'if another entry was added to it': () => write('p/q/theirs', 'x'),
    'if a file in it has changed': () => write('p/x', 'theirs'),
    'if its new path exists': () => mkdirSync(join(bench.root, 'n/m'), { recursive: true }),
    'if it was moved away': () => renameSync(join(bench.root, 'p'), join(bench.root, 'elsewhere')),
  }
  it.each(Object.entries(cases))('%s', async (_name, interfere) => {
    const { entries } = start()
    interfere()
    const before = listing(bench.root)
    await expect(commit(entries)).rejects.toMatchObject({ reason: 'stale_file' })
    expect(listing(bench.root)).toEqual(before)
    expect(readdirSync(bench.layout.tx)).toEqual([])
  })

  it('if it happens while the new content is written', async () => {
    const { entries } = start()
    const { disk } = reportingDisk(({ name, args }) => {
      if (name === 'createFile' && String(args[0]).endsWith('.plan')) write('p/q/theirs', 'x')
    }, 'all')
    await expect(commitEntries(inputFor(bench, entries), disk)).rejects.toMatchObject({ reason: 'stale_file' })
    expect(listing(bench.root)).toMatchObject({ 'p/q/theirs': 'file 644 x', 'p/x': 'file 644 old' })
  })

  it('if it would move into itself, or has no old path', async () => {
    start()
    const dir = entryFor('p', { dir: true }, { dir: true })
    for (const more of [{ from: 'p', path: 'p/q/r' }, { from: '../p', path: 'r' }, { path: 'r' }]) {
      await expect(commit([{ ...dir, op: 'move', at: 'p', ...more }])).rejects.toMatchObject({ reason: 'unsupported' })
    }
  })
})

describe('a recovery', () => {
  it('finds a moved directory, and counts the move as done', async () => {
    await cutOff('after')
    const inode = lstatSync(join(bench.root, 'n/m')).ino
    write('n/m/x', 'theirs')
    expect(await recover(bench.layout, bench.append)).toEqual({ finished: [1], removed: [], conflicts: [] })
    expect(lstatSync(join(bench.root, 'n/m')).ino).toBe(inode)
    expect(listing(bench.root)).toMatchObject({ 'n/m/x': 'file 644 theirs', 'n/m/q/y': 'file 644 new y' })
  })

  it('also moves what another program saved in the directory meanwhile, and leaves its edits alone', async () => {
    await cutOff('before')
    write('p/q/theirs', 'x')
    write('p/q/y', 'theirs')
    const { conflicts } = await recover(bench.layout, bench.append)
    expect(conflicts).toMatchObject([{ path: 'n/m/q/y', reason: 'stale_file', kept: expect.stringMatching(/\.new$/) }])
    expect(listing(bench.root)).toMatchObject({ 'n/m/q/theirs': 'file 644 x', 'n/m/q/y': 'file 644 theirs' })
  })

  it('leaves the directory with all its entries if its new name is taken', async () => {
    await cutOff('before')
    mkdirSync(join(bench.root, 'n/m'))
    write('n/m/theirs', 'x')
    const { conflicts } = await recover(bench.layout, bench.append)
    expect(conflicts.map(({ path }) => path).sort()).toEqual(
      ['n/m', 'n/m/l', 'n/m/q', 'n/m/q/y', 'n/m/x', 'n/m/z', 'p', 'p/l', 'p/q', 'p/q/y', 'p/x'].sort(),
    )
    expect(readdirSync(join(bench.root, 'n/m'))).toEqual(['theirs'])
    expect(listing(bench.root)).toMatchObject({ 'p/x': 'file 644 old', 'p/q/y': 'file 644 old y' })
    expect(committedSince(bench.layout, 0)[0]?.changes.map(({ path }) => path)).toEqual(['p/g/h', 'p/g'])
    expect(keptCommit(bench.layout, '1').changes.map(({ path }) => path)).not.toContain('n/m')
  })

  it('leaves another directory of the same name', async () => {
    await cutOff('before')
    renameSync(join(bench.root, 'p'), join(bench.root, 'elsewhere'))
    mkdirSync(join(bench.root, 'p'))
    write('p/theirs', 'x')
    const { conflicts } = await recover(bench.layout, bench.append)
    expect(conflicts.map(({ path }) => path)).toContain('n/m')
    expect(listing(bench.root)).toMatchObject({ 'p/theirs': 'file 644 x' })
  })
})

it('lists each file once, with its old path and its new state', async () => {
  const { entries } = start()
  await commit(entries)
  const { changes } = committedSince(bench.layout, 0)[0] ?? { changes: [] }
  const [y, ...more] = changes.filter(({ path }) => path === 'n/m/q/y')
  expect(more).toEqual([])
  expect(y).toMatchObject({ op: 'create', from: 'p/q/y', old: null, new: entryFor('y', null, { file: 'new y' }).new })
})
