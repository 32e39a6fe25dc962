import { mkdirSync } from 'node:fs'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffStage, type StagedChange, sourcesInUse } from '../../overlay/index.js'
import { realDisk } from '../../src/commit/disk.js'
import { commitEntries, entriesFor } from '../../src/commit/index.js'
import { EscrowError } from '../../src/core/api-error.js'
import type { Layout } from '../../src/core/layout.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openStage } from '../../src/stage/opened-stage.js'
import { ownStage, readStage, type StageStore } from '../../src/stage/store.js'
import { tempDir } from '../support/facade.js'
import { changeDisk, LOWER, type Mutation, mergedFiles, mutate, mutation, onDisk, outside, p, seed } from './bench.js'

/**
 * The whole of staging in one sentence: committing the listed changes of a stage makes the disk equal to the merged
 * view, and then nothing is staged.
 */

const RUNS = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 200)
const steps = fc.array(mutation, { minLength: 1, maxLength: 25 })

/** Durability is not tested here, and flushes take most of a commit's time. */
const UNSYNCED = {
  ...realDisk,
  createFile: (path: string, data: Uint8Array | string, mode: number) => realDisk.createFile(path, data, mode, false),
  syncDir: () => undefined,
  syncFile: () => undefined,
  flush: () => true,
}

interface Site {
  readonly layout: Layout
  readonly store: StageStore
  openStore(id: string): StageStore
  dispose(): void
}

function site(): Site {
  const { path: root, dispose } = tempDir()
  seed(root, LOWER)
  const layout = layoutAt(root)
  const stores: StageStore[] = []
  const openStore = (id: string) => {
    mkdirSync(layout.session(id).dir, { recursive: true })
    const store = ownStage(openStage(layout, id, { durability: 'process' }), {
      credit: () => ({}),
      knownBase: () => undefined,
      touched: () => undefined,
    })
    stores.push(store)
    return store
  }
  const store = openStore('one')
  return {
    layout,
    store,
    openStore,
    dispose() {
      for (const each of stores) each.close()
      dispose()
    },
  }
}

async function commit({ layout }: Site, store: StageStore, approved: readonly StagedChange[], session = 'one') {
  const entries = entriesFor(approved, diffStage(store.overlay))
  return commitEntries(
    {
      layout,
      sessionId: session,
      entries,
      gate: () => undefined,
      records: ({ tx }) => [{ id: tx }],
      append: async () => undefined,
    },
    UNSYNCED,
  )
}

/** False if the selected part cannot be committed alone: a file in place of a directory that was to stay. */
async function commits(setup: Site, approved: readonly StagedChange[]): Promise<boolean> {
  if (sourcesInUse(setup.store.overlay, approved, diffStage(setup.store.overlay).changes).length > 0) return false
  try {
    await commit(setup, setup.store, approved)
    return true
  } catch (error) {
    if (error instanceof EscrowError && error.refused) return false
    throw error
  }
}

const listChanges = (changes: readonly StagedChange[]) =>
  changes.map(({ content: _, times, ...change }) => JSON.stringify({ ...change, times: String(times?.mtimeNs) })).sort()

async function property(sequence: readonly Mutation[], check: (site: Site) => Promise<void>): Promise<void> {
  const setup = site()
  try {
    for (const step of sequence) mutate(setup.store.overlay, step)
    await check(setup)
  } finally {
    setup.dispose()
  }
}

/** On disk `b/l` is a link to `a`: for `b/l/a` the disk would return `a/a`. */
const WHERE_A_LINK_STOOD: readonly (readonly [string, readonly Mutation[]])[] = [
  ['its target directory', [{ op: 'move', from: p('a'), to: p('b/l') }]],
  [
    'its target directory, and a file at its old path',
    [
      { op: 'move', from: p('a'), to: p('b/l') },
      { op: 'put', path: p('a'), data: '' },
    ],
  ],
  [
    'its target directory with another file in it',
    [
      { op: 'move', from: p('a'), to: p('b/l') },
      { op: 'put', path: p('b/l/a'), data: 'new' },
    ],
  ],
  [
    'a new directory, with other files',
    [
      { op: 'mkdir', path: p('b/l') },
      { op: 'put', path: p('b/l/a'), data: 'new' },
    ],
  ],
  [
    'a new directory, with the same files',
    [
      { op: 'mkdir', path: p('b/l') },
      { op: 'put', path: p('b/l/a'), data: 'lower a/a' },
    ],
  ],
]

it.each(WHERE_A_LINK_STOOD)('commits %s in place of a link', async (_, sequence) => {
  await property([{ op: 'remove', path: p('b/l') }, ...sequence], async (setup) => {
    const wanted = mergedFiles(setup.store.overlay)
    const { changes } = diffStage(setup.store.overlay)
    expect(changes.filter(({ drifted }) => drifted)).toEqual([])
    await commit(setup, setup.store, changes)
    expect(onDisk(setup.layout.root)).toEqual(wanted)
  })
})

it('commits a file in place of a directory whose files were committed under another name', async () => {
  const sequence: Mutation[] = [
    { op: 'move', from: p('a'), to: p('d/a') },
    { op: 'mkdir', path: p('a') },
    { op: 'put', path: p('a/b'), data: '' },
  ]
  await property(sequence, async (setup) => {
    const { overlay } = setup.store
    const wanted = mergedFiles(overlay)
    await commit(
      setup,
      setup.store,
      diffStage(overlay).changes.filter(({ path }) => ['d/a/a', 'd/a/b/a'].includes(path)),
    )
    setup.store.settle([])
    expect(mergedFiles(overlay)).toEqual(wanted)
    await commit(setup, setup.store, diffStage(overlay).changes)
    setup.store.settle([])
    expect(onDisk(setup.layout.root)).toEqual(wanted)
    expect(diffStage(overlay).changes).toEqual([])
  })
})

it('commits the last file of a moved directory, and drops the directory', async () => {
  const sequence: Mutation[] = [
    { op: 'put', path: p('a/b/a'), data: '', at: 0 },
    { op: 'move', from: p('a'), to: p('d') },
  ]
  await property(sequence, async (setup) => {
    const { overlay } = setup.store
    const wanted = mergedFiles(overlay)
    const { changes } = diffStage(overlay)
    await commit(
      setup,
      setup.store,
      changes.filter(({ path }) => path !== 'd/b/a'),
    )
    setup.store.settle([])
    await commit(setup, setup.store, diffStage(overlay).changes)
    setup.store.settle([])
    expect(onDisk(setup.layout.root)).toEqual(wanted)
    expect(diffStage(overlay).changes).toEqual([])
  })
})

describe('a stage and the disk', { timeout: 180_000 + RUNS * 500 }, () => {
  it('are equal once everything staged was committed, and then nothing is staged', async () => {
    await fc.assert(
      fc.asyncProperty(steps, (sequence) =>
        property(sequence, async (setup) => {
          const { overlay } = setup.store
          const wanted = mergedFiles(overlay)
          const { changes } = diffStage(overlay)
          const label = inspect(listChanges(changes), { maxArrayLength: null })
          if (changes.length > 0) await commit(setup, setup.store, changes)
          expect(onDisk(setup.layout.root), label).toEqual(wanted)
          setup.store.settle([])
          expect(diffStage(overlay).changes, label).toEqual([])
          expect(mergedFiles(overlay), label).toEqual(wanted)
        }),
      ),
      { numRuns: RUNS },
    )
  })

  it('show the same merged view after a partial commit', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.infiniteStream(fc.boolean()), (sequence, choices) =>
        property(sequence, async (setup) => {
          const { overlay } = setup.store
          const approved = diffStage(overlay).changes.filter(() => choices.next().value)
          const wanted = mergedFiles(overlay)
          const label = inspect(listChanges(approved), { maxArrayLength: null })
          if (approved.length === 0 || !(await commits(setup, approved))) return
          setup.store.settle([])
          expect(mergedFiles(overlay), label).toEqual(wanted)
          const rest = diffStage(overlay).changes
          if (rest.length === 0 || !(await commits(setup, rest))) return
          expect(onDisk(setup.layout.root), inspect(listChanges(rest))).toEqual(wanted)
          setup.store.settle([])
          expect(diffStage(overlay).changes, label).toEqual([])
        }),
      ),
      { numRuns: RUNS },
    )
  })

  it('are the same after every replay of the log, however the disk has changed', async () => {
    const onDiskToo = fc.array(fc.tuple(mutation, fc.option(outside, { freq: 4 })), { minLength: 1, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(onDiskToo, (sequence) =>
        property([], async ({ layout, store }) => {
          for (const [step, meanwhile] of sequence) {
            mutate(store.overlay, step)
            if (meanwhile) changeDisk(layout.root, meanwhile)
          }
          const replayed = readStage(layout, 'one')
          expect(mergedFiles(replayed.overlay)).toEqual(mergedFiles(store.overlay))
          expect(listChanges(diffStage(replayed.overlay).changes)).toEqual(
            listChanges(diffStage(store.overlay).changes),
          )
        }),
      ),
      { numRuns: RUNS },
    )
  })

  it('keep this session’s content and bases after another session’s commit', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, (mine, theirs) =>
        property(mine, async (setup) => {
          const { overlay } = setup.store
          const other = setup.openStore('two')
          for (const step of theirs) mutate(other.overlay, step)
          const before = diffStage(overlay).changes
          const held = new Map(
            before.filter((change) => isHeld(setup.store, change)).map((each) => [each.path, view(setup.store, each)]),
          )
          const bases = new Map(
            [...overlay.stage.bases].map(([path, { state }]) => [
              path,
              state?.type === 'dir' ? undefined : state?.digest,
            ]),
          )
          const { changes } = diffStage(other.overlay)
          if (changes.length === 0) return
          await commit(setup, other, changes, 'two')
          setup.store.settle([])
          const label = inspect({ theirs: listChanges(changes), mine: listChanges(before) }, { maxArrayLength: null })
          for (const [path, content] of held)
            expect(view(setup.store, { path }), `${path} of ${label}`).toEqual(content)
          for (const { path, from, kind, drifted, before: base } of diffStage(overlay).changes) {
            if (drifted || !bases.has(from ?? path) || kind === 'mkdir' || base?.type === 'dir') continue
            expect(base?.digest, `${path} of ${label}`).toBe(bases.get(from ?? path))
          }
        }),
      ),
      { numRuns: RUNS },
    )
  })
})

/** True if the stage has the content itself: content that is visible through a renamed directory is the disk's. */
function isHeld({ overlay }: StageStore, { path, after }: StagedChange): boolean {
  return after?.type === 'file' && overlay.placeOf(path).node?.inode !== undefined
}

function view({ overlay }: StageStore, { path }: Pick<StagedChange, 'path'>): string {
  return overlay.typeOf(path) === 'file' ? overlay.read(path).toString() : String(overlay.typeOf(path))
}
