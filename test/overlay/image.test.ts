import fs, { mkdirSync, readdirSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { roughSizeOf, sizeOf } from '../../overlay/image-size.js'
import { compact, diffStage, Overlay, replay, Stage } from '../../overlay/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openStage } from '../../src/stage/opened-stage.js'
import { ownStage, readStage, type StageStore } from '../../src/stage/store.js'
import { tempDir } from '../support/facade.js'
import { LOWER, mergedFiles, mutate, mutation, p, seed } from './bench.js'

const RUNS = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 50)
const ALWAYS = { log: 0, pack: 0, times: 0 }

/** The complete visible state of a stage, with attributes and credits. */
function readState(overlay: Overlay): unknown {
  const seen = mergedFiles(overlay)
  const inodes = Object.keys(seen).map((path) => {
    const inode = overlay.placeOf(p(path)).node?.inode
    return (
      inode && [
        path,
        inode.ino,
        inode.names,
        inode.mtimeNs,
        inode.ctimeNs,
        inode.timed,
        inode.origin,
        inode.credit,
        inode.calls,
      ]
    )
  })
  const changes = diffStage(overlay).changes.map(({ content: _, times, ...change }) =>
    JSON.stringify({ ...change, times: times && `${times.atimeNs} ${times.mtimeNs}` }),
  )
  return { seen, inodes, changes: changes.sort() }
}

function lookAll(store: StageStore): unknown {
  const { stage, lower } = store.overlay
  const versions = stage.snapshots.list().flatMap(({ id, version, ...snapshot }) => {
    const end = stage.snapshots.endOf(id)
    return [version, ...(end ? [end] : [])].map((each) => [
      id,
      snapshot,
      readState(new Overlay({ lower, stage: Stage.of(each) })),
    ])
  })
  const { settledSeq, reviewed, reviewId, agents, notes, snapshots } = stage
  const state = {
    settledSeq,
    reviewed,
    reviewId,
    agents,
    notes: [...notes].filter(([, left]) => left.length > 0),
    at: snapshots.at?.id,
    made: snapshots.made,
    changed: snapshots.changed,
  }
  const bases = [...stage.bases].map(([path, { state: was, kept }]) => [path, was, kept && `${store.base(p(path))}`])
  return { merged: readState(store.overlay), versions, state, bases: bases.sort() }
}

function site() {
  const { path: root, dispose } = tempDir()
  seed(root, LOWER)
  const layout = layoutAt(root)
  const { dir, stageLog, pack } = layout.session('one')
  mkdirSync(dir, { recursive: true })
  let index = 0
  const open = (): StageStore => {
    const credit = () => ({ intent: `INT-${index % 3}`, call: `call ${++index}`, agent: 0 })
    return ownStage(openStage(layout, 'one', { durability: 'process' }), {
      credit,
      knownBase: () => undefined,
      touched: () => undefined,
    })
  }
  const files = { log: stageLog, pack }
  return {
    dir,
    files,
    open,
    read: () => readStage(layout, 'one'),
    pack: () => replay(files, new Stage()).pack,
    dispose,
  }
}

const step = fc.oneof(
  { weight: 12, arbitrary: mutation },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('mark' as const), end: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('goto' as const), to: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('drop' as const), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('note' as const), dealt: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('compact' as const) }) },
)

afterEach(() => vi.restoreAllMocks())

describe('a compacted log', { timeout: 180_000 + RUNS * 500 }, () => {
  it('gives the same stage with the same snapshots, which continues in the same way', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const at = site()
        let store = at.open()
        try {
          store.setAgent({ model: 'm' })
          for (const each of steps) {
            const { snapshots } = store.overlay.stage
            if (each.op === 'mark') {
              const mark = store.createSnapshot({ name: 'a name', before: 'a call' })
              mutate(store.overlay, { op: 'put', path: p('c'), data: 'x' })
              if (each.end) store.endCall(mark)
            } else if (each.op === 'goto') {
              const to = snapshots.list()[each.to % Math.max(1, snapshots.size)]
              if (to) store.travel(to, [])
            } else if (each.op === 'drop') {
              const mark = snapshots.list()[each.at % Math.max(1, snapshots.size)]
              if (mark) store.deleteSnapshot(mark)
            } else if (each.op === 'note') {
              store.enqueue('kind', { a: 1 })
              store.ack('kind', each.dealt)
            } else if (each.op === 'compact') {
              const before = lookAll(store)
              const pack = at.pack()
              const [rough, size] = [roughSizeOf(store.overlay.stage), sizeOf(store.overlay.stage)]
              expect([rough.log <= size.log, rough.pack <= size.pack]).toEqual([true, true])
              store.close()
              expect(compact(at.files, store.overlay.stage, { pack }, ALWAYS)).toBe(true)
              expect(lookAll(at.read())).toEqual(before)
              store = at.open()
              expect(lookAll(store)).toEqual(before)
              expect(readdirSync(at.dir).filter((name) => /pack|new/.test(name))).toHaveLength(1)
            } else mutate(store.overlay, each)
          }
          expect(lookAll(at.read())).toEqual(lookAll(store))
        } finally {
          store.close()
          at.dispose()
        }
      }),
      { numRuns: RUNS },
    )
  })

  function setUpEdited() {
    const at = site()
    onTestFinished(at.dispose)
    const store = at.open()
    for (let i = 0; i < 50; i++) mutate(store.overlay, { op: 'put', path: p('c'), data: `content ${i}` })
    const snapshot = store.createSnapshot({})
    for (let i = 0; i < 50; i++) mutate(store.overlay, { op: 'put', path: p('d/new'), data: `content ${i}` })
    return { ...at, store, snapshot }
  }

  it('keeps only what the stage or a snapshot has', () => {
    const { files, store, snapshot, pack, open } = setUpEdited()
    store.close()
    const before = fs.statSync(files.log).size
    const old = pack()
    expect(compact(files, store.overlay.stage, { pack: old }, ALWAYS)).toBe(true)
    expect(fs.statSync(files.log).size).toBeLessThan(before / 4)
    // The staged content, and the base that it would be merged with.
    expect(fs.statSync(pack()).size).toBe('content 49lower c'.length)
    // A reader of the old pack may finish; the next owner removes it.
    expect(fs.existsSync(old)).toBe(true)
    const again = open()
    expect(fs.existsSync(old)).toBe(false)
    const mark = again.overlay.stage.snapshots.get(snapshot.id)
    expect(mark).toBeDefined()
    if (mark) again.travel(mark, [])
    expect([again.overlay.read(p('c')).toString(), again.overlay.typeOf(p('d/new'))]).toEqual(['content 49', undefined])
    again.close()
  })

  it('is written only if it saves much', () => {
    const { files, store, pack } = setUpEdited()
    store.close()
    const bytes = fs.readFileSync(files.log)
    expect(compact(files, store.overlay.stage, { pack: pack() })).toBe(false)
    expect(compact(files, store.overlay.stage, { pack: pack() }, { log: 1, pack: 1 << 30, times: 1000 })).toBe(false)
    expect(fs.readFileSync(files.log)).toEqual(bytes)
  })

  it('is written when a session closes whose log is mostly history', () => {
    const { files, store, open, snapshot } = setUpEdited()
    for (let i = 0; i < 9_000; i++) store.enqueue('kind', `note ${i} ${'x'.repeat(80)}`)
    store.ack('kind', 9_000)
    store.overlay.put(p('last'), Buffer.from('last'))
    expect(fs.statSync(files.log).size).toBeGreaterThan(1 << 20)
    const before = lookAll(store)
    store.close()
    expect(fs.statSync(files.log).size).toBeLessThan(10_000)
    const again = open()
    expect(lookAll(again)).toEqual(before)
    expect(again.overlay.stage.snapshots.get(snapshot.id)).toBeDefined()
    again.close()
  })

  it('that fails at any step leaves the log unchanged, and removes its own files', () => {
    const real = { write: fs.writeSync, rename: fs.renameSync, sync: fs.fsyncSync }
    for (let fails = 0; fails < 14; fails++) {
      const { dir, files, store, pack, open } = setUpEdited()
      const before = lookAll(store)
      store.close()
      let left = fails
      const failing = <T extends (...args: never[]) => unknown>(call: T) =>
        ((...args: Parameters<T>) => {
          if (left-- === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
          return call(...args)
        }) as T
      vi.spyOn(fs, 'writeSync').mockImplementation(
        failing(real.write as (...args: never[]) => number) as typeof fs.writeSync,
      )
      vi.spyOn(fs, 'renameSync').mockImplementation(failing(real.rename))
      vi.spyOn(fs, 'fsyncSync').mockImplementation(failing(real.sync))
      compact(files, store.overlay.stage, { pack: pack() }, ALWAYS)
      vi.restoreAllMocks()
      const again = open()
      expect(lookAll(again), `step ${fails}`).toEqual(before)
      expect(readdirSync(dir).filter((name) => /pack|new/.test(name))).toHaveLength(1)
      again.close()
    }
  })
})
