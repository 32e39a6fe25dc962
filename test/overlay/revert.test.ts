import { mkdirSync } from 'node:fs'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffStage, isWithin, mergedState, type RelPath, type StagedChange } from '../../overlay/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openStage } from '../../src/stage/opened-stage.js'
import { ownStage, readStage } from '../../src/stage/store.js'
import { tempDir } from '../support/facade.js'
import { LOWER, mergedFiles, mutate, mutation, seed } from './bench.js'

const RUNS = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 100)
const steps = fc.array(mutation, { minLength: 1, maxLength: 20 })

const names = ({ path, from }: StagedChange): RelPath[] => (from === undefined ? [path] : [path, from])
const describeChanges = (changes: readonly StagedChange[]) =>
  inspect(
    changes.map(({ kind, path, from }) => [kind, from ?? '', path]),
    { maxArrayLength: null },
  )

const takingBack = fc.property(steps, fc.infiniteStream(fc.boolean()), (sequence, choices) => {
  const { path: root, dispose } = tempDir()
  seed(root, LOWER)
  const layout = layoutAt(root)
  mkdirSync(layout.session('one').dir, { recursive: true })
  const opened = openStage(layout, 'one', { durability: 'process' })
  const hooks = { credit: () => ({}), knownBase: () => undefined, touched: () => undefined }
  const store = ownStage(opened, hooks)
  try {
    const { overlay } = store
    for (const step of sequence) mutate(overlay, step)
    const { changes } = diffStage(overlay)
    const gone = changes.filter(() => choices.next().value)
    // All changes of a path are reverted: a removed file together with the directory created in its place.
    const taken = new Set(gone.flatMap(names))
    const stays = changes.filter((change) => !gone.includes(change) && !names(change).some((name) => taken.has(name)))
    const label = `taken back ${describeChanges(gone)} of ${describeChanges(changes)}`
    store.drop(gone)
    const kept = new Set(stays.flatMap(names))
    for (const { path, kind, after } of stays) {
      if (kind === 'mode') continue
      // The removed entry and its replacement are two changes of one path.
      const stands = after ?? stays.find((each) => each.path === path && each.after)?.after
      if (stands) expect(mergedState(overlay, path)?.digest, `${path}, ${label}`).toBe(stands.digest)
      else expect(overlay.typeOf(path) ?? 'dir', `${path}, ${label}`).toBe('dir')
    }
    for (const path of gone.flatMap(names)) {
      if ([...kept].some((each) => isWithin(path, each) || isWithin(each, path))) continue
      const disk = overlay.lower.typeOf(path)
      if (disk === 'file') expect(overlay.read(path), `${path}, ${label}`).toEqual(overlay.lower.read(path))
      else expect(overlay.typeOf(path), `${path}, ${label}`).toBe(disk)
    }
    const known = new Set([...kept, ...changes.filter(({ from }) => from !== undefined).map(({ path }) => path)])
    const isNew = ({ path, after }: StagedChange) =>
      after?.type !== 'dir' && ![...known].some((each) => isWithin(path, each) || isWithin(each, path))
    expect(
      diffStage(overlay)
        .changes.filter(isNew)
        .map(({ path }) => path),
      label,
    ).toEqual([])
    expect(mergedFiles(readStage(layout, 'one').overlay), label).toEqual(mergedFiles(overlay))
  } finally {
    store.close()
    dispose()
  }
})

test('reverted names show the disk again, and others stay unchanged', () => {
  fc.assert(takingBack, { numRuns: RUNS })
})

test('reverts a part of a moved directory that replaced a file', () => {
  fc.assert(takingBack, { seed: -808888400, path: '422:3:3:5:5:7:7:7', endOnFailure: true })
})
