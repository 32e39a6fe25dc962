import { mkdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffStage, diffVersions, Overlay, Stage } from '../../overlay/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openStage } from '../../src/stage/opened-stage.js'
import { ownStage, readStage, type StageStore } from '../../src/stage/store.js'
import { tempDir } from '../support/facade.js'
import { LOWER, type Mutation, mergedFiles, mutate, mutation, overlayOver, p, seed } from './bench.js'

const RUNS = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 50)

/** The complete visible state of a stage: names, contents, link counts, and its changes. */
function readState(overlay: Overlay): unknown {
  const { changes } = diffStage(overlay)
  const described = changes
    .map(({ content: _, times, ...change }) => JSON.stringify({ ...change, times: String(times?.mtimeNs) }))
    .sort()
  const seen = mergedFiles(overlay)
  const links = Object.keys(seen).map((path) => {
    const inode = overlay.placeOf(p(path)).node?.inode
    return inode && inode.type !== 'dir' ? [path, inode.names, inode.mtimeNs] : [path]
  })
  return { seen, described, links }
}

interface Site {
  readonly store: StageStore
  reopen(): StageStore
  dispose(): void
}

function site(): Site {
  const { path: root, dispose } = tempDir()
  seed(root, LOWER)
  const layout = layoutAt(root)
  mkdirSync(layout.session('one').dir, { recursive: true })
  const opened = openStage(layout, 'one', { durability: 'process' })
  const hooks = { credit: () => ({}), knownBase: () => undefined, touched: () => undefined }
  const store = ownStage(opened, hooks)
  return {
    store,
    reopen: () => readStage(layout, 'one'),
    dispose() {
      store.close()
      dispose()
    },
  }
}

const step = fc.oneof(
  { weight: 8, arbitrary: mutation },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('mark' as const) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('travel' as const), to: fc.nat(20) }) },
)

describe('snapshots', { timeout: 180_000 + RUNS * 500 }, () => {
  it('keep the stage unchanged, also after later edits and a crash', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const fixture = site()
        try {
          const { store } = fixture
          const { snapshots } = store.overlay.stage
          const seen = new Map<string, unknown>()
          // The mutations that led to each snapshot: a stage without snapshots has the same result.
          const paths = new Map<string, Mutation[]>()
          let path: Mutation[] = []
          for (const each of steps) {
            if (each.op === 'mark') {
              const { id } = store.createSnapshot({})
              seen.set(id, readState(store.overlay))
              paths.set(id, path)
            } else if (each.op === 'travel') {
              const to = snapshots.list()[each.to % Math.max(1, snapshots.size)]
              if (!to) continue
              const before = readState(store.overlay)
              const { left } = store.travel(to, [])
              if (seen.has(left.id)) expect(seen.get(left.id)).toEqual(before)
              seen.set(left.id, before)
              paths.set(left.id, path)
              path = paths.get(to.id) ?? []
              expect(readState(store.overlay)).toEqual(seen.get(to.id))
            } else {
              mutate(store.overlay, each)
              path = [...path, each]
            }
          }
          const replayed = fixture.reopen()
          expect(readState(replayed.overlay)).toEqual(readState(store.overlay))
          for (const { overlay } of [store, replayed]) {
            for (const { id, version } of overlay.stage.snapshots.list()) {
              const earlier = new Overlay({ lower: overlay.lower, stage: Stage.of(version) })
              expect(readState(earlier), id).toEqual(seen.get(id))
            }
          }
          const naive = overlayOver(LOWER)
          for (const each of path) mutate(naive.overlay, each)
          expect(mergedFiles(naive.overlay)).toEqual(mergedFiles(store.overlay))
          naive.dispose()
        } finally {
          fixture.dispose()
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('give a difference that turns one into the other', () => {
    fc.assert(
      fc.property(fc.array(mutation, { maxLength: 12 }), fc.array(mutation, { maxLength: 12 }), (first, second) => {
        const { overlay, dispose } = overlayOver(LOWER)
        try {
          const { stage } = overlay
          for (const each of first) mutate(overlay, each)
          const before = new Overlay({ lower: overlay.lower, stage: Stage.of(stage.freeze()) })
          for (const each of second) mutate(overlay, each)
          const [was, is] = [mergedFiles(before), mergedFiles(overlay)]
          const changes = diffVersions(before, overlay)
          const files = (seen: Record<string, string>) =>
            Object.fromEntries(Object.entries(seen).filter(([, what]) => !what.startsWith('dir')))
          const filesBefore = files(was)
          for (const { path, from, after } of changes) {
            if (from !== undefined) delete filesBefore[from]
            if (after === null) delete filesBefore[path]
          }
          for (const change of changes) {
            if (change.after?.type === 'file')
              filesBefore[change.path] =
                `file ${change.after.mode.toString(8)} ${Buffer.from(change.content()).toString('latin1')}`
            if (change.after?.type === 'symlink') filesBefore[change.path] = `link ${Buffer.from(change.content())}`
          }
          expect(filesBefore).toEqual(files(is))
          const paths = new Set(changes.flatMap(({ path, from }) => [path, from ?? path]))
          for (const path of paths) expect(was[path] === is[path] && was[path]?.startsWith('file'), path).toBe(false)
        } finally {
          dispose()
        }
      }),
      { numRuns: RUNS },
    )
  })
})
