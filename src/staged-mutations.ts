import { setImmediate as breathe } from 'node:timers/promises'
import type { StagedChange } from '../overlay/index.js'
import { beforeOf } from './change-view.js'
import { type Measured, type Mutation, mutationOf } from './core/mutation.js'
import { declarationsOf } from './declarations.js'
import type { StageStore } from './stage-store.js'
import { createMeasure } from './trace/index.js'

/** Of what a commit may spend on comparing, a look at a stage may spend a fifth: some tenths of a second. */
const BUDGET = 768 * 1024
/** How long it may keep a person's keys waiting. */
const BREATH_MS = 15

/** Measures what is staged, for a reviewer; what was measured once is remembered as long as both sides stay. */
export function createMutations() {
  let known = new Map<string, Measured>()
  return async (store: StageStore, staged: readonly StagedChange[]): Promise<ReadonlyMap<StagedChange, Mutation>> => {
    const declarations = declarationsOf(store)
    const measure = createMeasure(BUDGET)
    const found = new Map<StagedChange, Mutation>()
    const seen = new Map<string, Measured>()
    let breathed = performance.now()
    const declared = (change: StagedChange) => declarations.of(change)
    // What was declared comes first: there a difference is what the reviewer must see.
    for (const change of [...staged].sort((a, b) => Number(!declared(a)) - Number(!declared(b)))) {
      if (!isChangedFile(change)) continue
      const key = JSON.stringify([change.path, change.from, change.before, change.after])
      if (performance.now() - breathed > BREATH_MS) {
        await breathe()
        breathed = performance.now()
      }
      const measured = known.get(key) ?? (await measure(change, sidesOf(store, change)))
      if (measured.rule !== 'budget') seen.set(key, measured)
      found.set(change, mutationOf(measured, declared(change)))
    }
    known = seen
    return found
  }
}

function isChangedFile({ before, after }: StagedChange): boolean {
  return before !== null && before.type !== 'dir' && after !== null
}

function sidesOf(store: StageStore, change: StagedChange) {
  return { before: beforeOf(store, change), after: change.content() }
}
