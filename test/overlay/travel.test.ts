import { mkdirSync } from 'node:fs'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  diffStage,
  isWithin,
  mergedState,
  Overlay,
  ROOT,
  Stage,
  type StagedChange,
  sourcesInUse,
} from '../../overlay/index.js'
import { redirects } from '../../overlay/sources.js'
import { realDisk } from '../../src/commit/disk.js'
import { commitEntries, entriesFor } from '../../src/commit/index.js'
import { EscrowError } from '../../src/core/api-error.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openStage } from '../../src/stage/opened-stage.js'
import { ownStage, readStage, type StageStore } from '../../src/stage/store.js'
import { tempDir } from '../support/facade.js'
import { LOWER, mergedFiles, mutate, mutation, onDisk, p, seed } from './bench.js'

const RUNS = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 50)

/** Durability is not tested here, and flushes take most of a commit's time. */
const UNSYNCED = {
  ...realDisk,
  createFile: (path: string, data: Uint8Array | string, mode: number) => realDisk.createFile(path, data, mode, false),
  syncDir: () => undefined,
  syncFile: () => undefined,
  flush: () => true,
}

const some = fc.array(mutation, { minLength: 1, maxLength: 8 })
const rounds = fc.array(
  fc.record({
    before: some,
    after: some,
    later: fc.array(mutation, { maxLength: 4 }),
    all: fc.boolean(),
    to: fc.nat(9),
  }),
  {
    minLength: 1,
    maxLength: 3,
  },
)

const namesOf = ({ path, from }: StagedChange) => (from === undefined ? [path] : [path, from])

function site() {
  const { path: root, dispose } = tempDir()
  seed(root, LOWER)
  const layout = layoutAt(root)
  mkdirSync(layout.session('one').dir, { recursive: true })
  const opened = openStage(layout, 'one', { durability: 'process' })
  const hooks = { credit: () => ({}), knownBase: () => undefined, touched: () => undefined }
  const store = ownStage(opened, hooks)
  return {
    root,
    layout,
    store,
    dispose() {
      store.close()
      dispose()
    },
  }
}

/** Commits a part and returns its paths, or none if the part cannot be committed alone. */
async function commit({ layout, store }: ReturnType<typeof site>, approved: readonly StagedChange[]) {
  const diff = diffStage(store.overlay)
  if (approved.length === 0 || sourcesInUse(store.overlay, approved, diff.changes).length > 0) return []
  const deps = {
    gate: () => undefined,
    records: ({ tx }: { tx: string }) => [{ id: tx }],
    append: async () => undefined,
  }
  try {
    await commitEntries({ layout, sessionId: 'one', entries: entriesFor(approved, diff), ...deps }, UNSYNCED)
  } catch (error) {
    if (error instanceof EscrowError && error.refused) return []
    throw error
  }
  store.settle([])
  // A removed directory does not imply a commit of the file that was to replace it.
  return approved.filter(({ before, after }) => after !== null || before?.type !== 'dir').flatMap(namesOf)
}

/** What a snapshot showed, its renamed directories, and the paths that were committed after it. */
interface Known {
  readonly landed: Set<string>
  readonly files: ReadonlyMap<string, string>
  readonly renamed: readonly { readonly at: string; readonly lower: string }[]
}

function captureState(overlay: Overlay): Known {
  return { landed: new Set(), files: files(overlay), renamed: redirects(overlay.stage.tree.root, ROOT) }
}

/** The entry at each path of a view, only files and links. */
function files(overlay: Overlay): Map<string, string> {
  return new Map(Object.entries(mergedFiles(overlay)).filter(([, what]) => !what.startsWith('dir')))
}

describe('a return to a snapshot before commits', { timeout: 180_000 + RUNS * 1_000 }, () => {
  it('reverts no later commit, and restores everything else', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, fc.infiniteStream(fc.boolean()), async (sequence, choices) => {
        const at = site()
        const { store } = at
        const { overlay } = store
        const { snapshots } = overlay.stage
        // Snapshot → the paths that were committed after it, and the files that it showed.
        const since = new Map<string, Known>()
        try {
          for (const { before, after, later, all, to: n } of sequence) {
            for (const each of before) mutate(overlay, each)
            since.set(store.createSnapshot({}).id, captureState(overlay))
            for (const each of after) mutate(overlay, each)
            const landed = await commit(
              at,
              diffStage(overlay).changes.filter(() => all || choices.next().value),
            )
            for (const each of since.values()) for (const path of landed) each.landed.add(path)
            for (const each of later) mutate(overlay, each)
            const to = snapshots.list()[n % snapshots.size]
            const was = to && since.get(to.id)
            if (!to || !was) continue
            const current = captureState(overlay)
            const { left } = store.travel(to, [])
            if (!since.has(left.id)) since.set(left.id, current)
            checkTravel(at.root, store, was)
          }
          expect(mergedFiles(readStage(at.layout, 'one').overlay)).toEqual(mergedFiles(store.overlay))
        } finally {
          at.dispose()
        }
      }),
      { numRuns: RUNS },
    )
  })
})

function checkTravel(root: string, { overlay }: StageStore, earlier: Known): void {
  const disk = onDisk(root)
  const current = files(overlay)
  const isNear = (path: string) => [...earlier.landed].some((each) => isWithin(path, each) || isWithin(each, path))
  // A renamed directory that commits have changed, by either name, is as the disk has it.
  const moved = [...earlier.renamed].filter(({ at, lower }) => [at, lower].some(isNear))
  const near = (path: string) =>
    isNear(path) || moved.some(({ at, lower }) => isWithin(path, at) || isWithin(path, lower))
  const label = inspect({ landed: [...earlier.landed], was: earlier.files, now: current })
  const { changes } = diffStage(overlay)
  const staged = new Set(changes.flatMap(namesOf).map(String))
  for (const path of earlier.landed) {
    // A directory that is still in use, or a file above, can be at a committed path.
    if ([...staged].some((each) => each !== path && (isWithin(each, path) || isWithin(path, each)))) continue
    expect(staged.has(path), `${path} is staged; ${label}`).toBe(false)
    const onIt = disk[path]?.startsWith('dir') ? undefined : disk[path]
    if (mergedState(overlay, p(path))?.type !== 'dir') expect(current.get(path), `${path}; ${label}`).toBe(onIt)
  }
  for (const [path, what] of earlier.files) if (!near(path)) expect(current.get(path), `${path}; ${label}`).toBe(what)
  for (const path of current.keys())
    if (!near(path)) expect(earlier.files.has(path), `${path} is new; ${label}`).toBe(true)
}

it('a version is a separate stage, whose edits leave the snapshot unchanged', () => {
  const at = site()
  try {
    const { overlay } = at.store
    mutate(overlay, { op: 'put', path: p('c'), data: 'staged' })
    const { version } = at.store.createSnapshot({})
    const there = new Overlay({ lower: overlay.lower, stage: Stage.of(version) })
    mutate(there, { op: 'put', path: p('c'), data: 'tried' })
    mutate(there, { op: 'removeTree', path: p('b') })
    expect(mergedFiles(new Overlay({ lower: overlay.lower, stage: Stage.of(version) }))).toEqual(mergedFiles(overlay))
    expect(overlay.read(p('c')).toString()).toBe('staged')
  } finally {
    at.dispose()
  }
})

it('a file is not restored if the session has committed a directory in its place', async () => {
  const at = site()
  try {
    const { store } = at
    mutate(store.overlay, { op: 'put', path: p('d/d'), data: 'file' })
    const snapshot = store.createSnapshot({})
    mutate(store.overlay, { op: 'remove', path: p('d/d') })
    mutate(store.overlay, { op: 'mkdir', path: p('d/d') })
    expect(await commit(at, diffStage(store.overlay).changes)).toContain('d/d')
    expect(store.travel(snapshot, []).kept).toEqual(['d/d'])
    expect(diffStage(store.overlay).changes).toEqual([])
    expect(store.overlay.typeOf(p('d/d'))).toBe('dir')
  } finally {
    at.dispose()
  }
})
