import { codeOf, digest, type StagedChange } from '../../overlay/index.js'
import { createMeasure, type KnownClasses, TOO_MUCH } from '../change-class/index.js'
import type { ChangesOptions } from '../core/api.js'
import { type Measured, type Mutation, mutationOf } from '../core/mutation.js'
import { pauses } from '../core/pauses.js'
import { beforeOf } from './change-view.js'
import { declarationsOf } from './declarations.js'
import type { StageStore } from './store.js'

/** The budget of one view of the stage, a fifth of a commit's: some tenths of a second. */
const BUDGET = 768 * 1024
/** How many milliseconds it may delay a person's key strokes. */
const PAUSE_AFTER_MS = 15
/** When the background begins. A command that prints one answer has ended by then, and loads no parser for later views. */
const START_MS = 250
/** How often the background stores classes. Each time, every reviewer reads the stage again. */
const STORE_MS = 1_000

/**
 * Measures the staged changes for a reviewer, and remembers each class as long as both contents stay. Changes beyond
 * the budget of one view are measured in the background, up to a commit's budget, for later views. With `known`, only
 * changes with a declared class are measured at once.
 */
export function createMutations(classes: KnownClasses) {
  const known = new Map<string, Measured>()
  const later = new Later(known, classes)
  const measureAll = async (
    store: StageStore,
    staged: readonly StagedChange[],
    wanted: ChangesOptions['classes'] = 'measured',
  ): Promise<ReadonlyMap<StagedChange, Mutation>> => {
    const declarations = declarationsOf(store)
    const measureNow = createMeasure(classes, BUDGET)
    const findKnown = createMeasure(classes, 0)
    const found = new Map<StagedChange, Mutation>()
    const unmeasured = new Map<string, StagedChange>()
    const requested = new Set<string>()
    const pause = pauses(PAUSE_AFTER_MS)
    const declarationOf = (change: StagedChange) => declarations.of(change)
    // Changes with a declared class first: the reviewer must see a difference there.
    for (const change of [...staged].sort((a, b) => Number(!declarationOf(a)) - Number(!declarationOf(b)))) {
      if (!isChangedFile(change)) continue
      const key = JSON.stringify([change.path, change.from, change.before, change.after])
      requested.add(key)
      await pause()
      const measure = wanted === 'known' && declarationOf(change) === undefined ? findKnown : measureNow
      const measured =
        known.get(key) ?? (later.has(key) ? TOO_MUCH : await measure(change, () => sidesOf(store, change)))
      if (measured === TOO_MUCH) unmeasured.set(key, change)
      else known.set(key, measured)
      found.set(change, mutationOf(measured, declarationOf(change)))
    }
    for (const key of known.keys()) if (!requested.has(key)) known.delete(key)
    later.put(unmeasured, store)
    return found
  }
  return { of: measureAll, measureRest: () => later.start() }
}

/**
 * Measures approved changes within a commit's budget. The commit then looks their classes up, so that nothing is parsed
 * between a person's approval and the write.
 */
export async function measureApproved(
  classes: KnownClasses,
  store: StageStore,
  approved: readonly StagedChange[],
): Promise<void> {
  const measure = createMeasure(classes)
  const pause = pauses(PAUSE_AFTER_MS)
  for (const change of approved) {
    await pause()
    try {
      if ((await measure(change, () => sidesOf(store, change))) === TOO_MUCH) return
    } catch (error) {
      // The disk has changed since. The commit will report it.
      if (codeOf(error) === undefined) throw error
    }
  }
}

/**
 * Measures the changes beyond the budget in the background, in all as much as a commit would. Keeps no process alive.
 */
class Later {
  #left: ReadonlyMap<string, StagedChange> = new Map()
  /** The stage of {@link #left}, until it is being measured. */
  #store: StageStore | undefined
  readonly #batch: ClassBatch
  readonly #measure: ReturnType<typeof createMeasure>

  constructor(
    private readonly known: Map<string, Measured>,
    classes: KnownClasses,
  ) {
    this.#batch = new ClassBatch(classes)
    this.#measure = createMeasure(this.#batch)
  }

  has(key: string): boolean {
    return this.#left.has(key)
  }

  /** Replaces the changes that remain to be measured. */
  put(unmeasured: ReadonlyMap<string, StagedChange>, store: StageStore): void {
    if ([...unmeasured.keys()].every((key) => this.#left.has(key))) return
    this.#left = unmeasured
    this.#store = store
  }

  start(): void {
    const store = this.#store
    if (store === undefined) return
    this.#store = undefined
    // The next view reports changes that can no longer be read.
    this.#run(this.#left, store)
      .catch(() => undefined)
      .finally(() => this.#batch.store())
  }

  async #run(unmeasured: ReadonlyMap<string, StagedChange>, store: StageStore): Promise<void> {
    this.#batch.store()
    await waitInBackground(START_MS)
    for (const [key, change] of unmeasured) {
      await waitInBackground()
      if (unmeasured !== this.#left) return
      const sides = sidesOf(store, change)
      // The disk has changed since the comparison.
      if (sides.before === null || digest(sides.before) !== change.before?.digest) continue
      const measured = await this.#measure(change, sides)
      if (measured === TOO_MUCH) return
      this.known.set(key, measured)
    }
  }
}

/** Keeps no process alive. */
function waitInBackground(ms = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

/** Stores classes together. Those that wait are lost with the process, and measured again. */
class ClassBatch implements KnownClasses {
  readonly #waiting = new Map<string, Measured>()
  #storedAt = performance.now()

  constructor(private readonly classes: KnownClasses) {}

  get(key: string): Measured | undefined {
    return this.#waiting.get(key) ?? this.classes.get(key)
  }

  set(key: string, found: Measured): void {
    this.#waiting.set(key, found)
    if (performance.now() - this.#storedAt > STORE_MS) this.store()
  }

  store(): void {
    for (const [key, found] of this.#waiting) this.classes.set(key, found)
    this.#waiting.clear()
    this.#storedAt = performance.now()
  }
}

function isChangedFile({ before, after }: StagedChange): boolean {
  return before !== null && before.type !== 'dir' && after !== null
}

function sidesOf(store: StageStore, change: StagedChange) {
  return { before: beforeOf(store, change), after: change.content() }
}
