import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Disk } from '../../src/commit/disk.js'
import { commitEntries } from '../../src/commit/index.js'
import { recoverLocked } from '../../src/commit/recover.js'
import type { JsonObject } from '../../src/commit/types.js'
import { type Layout, layoutOf } from '../../src/core/layout.js'
import type { Tree } from '../commit/kit.js'
import { CrashError } from './faulty-disk.js'
import { MemoryDisk, type Torn } from './memory-disk.js'
import type { Shape } from './shapes.js'

/**
 * Simulates a power cut at every call of a commit, and again during the recovery. The disk keeps a random part of the
 * unsynced changes. Then recovers, and reports violations of the promise of all or nothing.
 */

const ROOT = '/ws'
const STATE = '/home/state/ws'
const TORN: readonly Torn[] = ['nothing', 'half', 'all', 'noise']
const READS = new Set([
  'lstat',
  'readFile',
  'readlink',
  'readdir',
  'digestFile',
  'assertWritable',
  'openDir',
  'closeDir',
])

type Append = (record: JsonObject) => Promise<void>

/** A change of the protocol under test: of its calls, or of the time of its record. */
export interface Mutant {
  readonly name: string
  readonly disk?: (disk: Disk, layout: Layout) => Disk
  readonly append?: (append: Append, disk: Disk, layout: Layout) => Append
}

export interface Explore {
  readonly strict?: boolean
  /** The number of states of the disk to try for each cut. */
  readonly states: number
  /** The number of calls between two cuts. */
  readonly stride?: number
  readonly mutant?: Mutant
  /** The file that another program saves between the cut and the recovery. */
  readonly edited?: string
}

export interface Explored {
  readonly states: number
  readonly violations: string[]
}

/** A pseudorandom generator of numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function inRoot(tree: Tree): Tree {
  const below = Object.fromEntries(Object.entries(tree).map(([path, thing]) => [`ws/${path}`, thing]))
  return { ...below, 'ws/.orchestration': { dir: true }, home: { dir: true } }
}

/** Throws at mutating call `at`, and at each after it. */
function cutAt(disk: Disk, at: number): { disk: Disk; step: () => void; calls: () => number } {
  let calls = 0
  const step = () => {
    calls += 1
    if (calls >= at) throw new CrashError()
  }
  const cut: Disk = { ...disk }
  for (const [name, call] of Object.entries(disk)) {
    if (typeof call !== 'function' || READS.has(name)) continue
    const wrapper = (...args: unknown[]): unknown => {
      step()
      return Reflect.apply(call, disk, args)
    }
    Object.defineProperty(cut, name, { value: wrapper, enumerable: true })
  }
  return { disk: cut, step, calls: () => calls }
}

class Model {
  readonly locks = mkdtempSync(`${tmpdir()}/escrowfs-power-`)
  readonly layout: Layout = { ...layoutOf(ROOT, STATE), locks: this.locks }
  readonly violations: string[] = []
  readonly #old: string
  #new = ''
  states = 0

  constructor(
    private readonly shape: Shape,
    private readonly options: Explore,
  ) {
    this.#old = JSON.stringify(new MemoryDisk(inRoot(shape.before)).listing(ROOT))
  }

  async run(): Promise<void> {
    const { stride = 1 } = this.options
    const whole = await this.#commit(Number.POSITIVE_INFINITY, true)
    this.#new = JSON.stringify(whole.memory.listing(ROOT))
    for (let at = 1; at <= whole.calls + 1; at += stride) {
      const { memory, ledger, done } = await this.#commit(at, false)
      await this.#cut(memory, ledger, done, `cut at ${at}`, randomFrom(at), true)
    }
  }

  /** @param plain without the mutant, which gives the expected result of the commit */
  async #commit(at: number, plain: boolean) {
    const { strict = false, mutant } = this.options
    const memory = new MemoryDisk(inRoot(this.shape.before))
    const ledger: JsonObject[] = []
    const cut = cutAt(memory.disk, at)
    const disk = plain || !mutant?.disk ? cut.disk : mutant.disk(cut.disk, this.layout)
    const append: Append = async (record) => {
      cut.step()
      appendTo(ledger, record)
    }
    const input = {
      layout: this.layout,
      sessionId: 's',
      entries: this.shape.entries,
      strict,
      gate: () => undefined,
      records: ({ tx }: { tx: string }) => [{ id: tx }],
      append: plain || !mutant?.append ? append : mutant.append(append, disk, this.layout),
    }
    const done = await commitEntries(input, disk).then(
      ({ conflicts }) => conflicts.length === 0,
      (error: unknown) => {
        if (!(error instanceof CrashError) && !plain && mutant === undefined) throw error
        return false
      },
    )
    return { memory, ledger, done, calls: cut.calls() }
  }

  async #cut(
    memory: MemoryDisk,
    ledger: JsonObject[],
    done: boolean,
    where: string,
    rand: () => number,
    again: boolean,
  ) {
    for (let i = 0; i < this.options.states; i += 1) {
      // The first state loses all changes, the second none, the others a random part.
      const survives = Array.from({ length: memory.atRisk }, () => (i < 2 ? i === 1 : rand() < 0.5))
      const torn = TORN[Math.floor(rand() * TORN.length)] ?? 'nothing'
      const after = memory.afterCut(survives, torn)
      const records = [...ledger]
      const label = `${where}, state ${i} (${torn})`
      this.states += 1
      if (again && rand() < 0.5) {
        const cut = cutAt(after.disk, 1 + Math.floor(rand() * 30))
        const recovering = recoverLocked(cut.disk, this.layout, async (record) => {
          cut.step()
          appendTo(records, record)
        })
        await recovering.catch(() => undefined)
        await this.#cut(after, records, done, `${label}, again in recovery`, rand, false)
      } else await this.#recover(after, records, done, label)
    }
  }

  async #recover(memory: MemoryDisk, ledger: JsonObject[], done: boolean, where: string): Promise<void> {
    const { edited } = this.options
    if (edited !== undefined) {
      memory.disk.unlink(`${ROOT}/${edited}`)
      memory.disk.createFile(`${ROOT}/${edited}`, 'theirs', 0o644, true)
    }
    try {
      await recoverLocked(memory.disk, this.layout, async (record) => appendTo(ledger, record))
      await recoverLocked(memory.disk, this.layout, async (record) => appendTo(ledger, record))
    } catch (error) {
      this.violations.push(`${where}: recovery failed: ${String(error)}`)
      return
    }
    const problem = this.#problemOf(memory, ledger.length, done)
    if (problem !== undefined) this.violations.push(`${where}: ${problem}`)
  }

  #problemOf(memory: MemoryDisk, records: number, done: boolean): string | undefined {
    const found = memory.listing(ROOT)
    const { edited } = this.options
    if (edited !== undefined) {
      if (found[edited] !== 'file 644 theirs') return `the save of ${edited} is lost: ${found[edited]}`
      for (const known of [this.#old, this.#new]) {
        if (withoutPath(known, edited) === withoutPath(JSON.stringify(found), edited)) return undefined
      }
      return `neither old nor new: ${JSON.stringify(found)}`
    }
    const tree = JSON.stringify(found)
    if (tree !== this.#old && tree !== this.#new) return `neither old nor new: ${tree}`
    const isNew = tree === this.#new
    if (done && !isNew) return 'an acknowledged commit is gone'
    if (records !== (isNew ? 1 : 0)) return `the tree is ${isNew ? 'new' : 'old'} and the ledger has ${records} records`
    return undefined
  }
}

function appendTo(ledger: JsonObject[], record: JsonObject): void {
  if (!ledger.some(({ id }) => id === record.id)) ledger.push(record)
}

function withoutPath(listing: string, path: string): string {
  const found = JSON.parse(listing) as Record<string, string>
  delete found[path]
  return JSON.stringify(found)
}

/** Simulates power cuts in a commit of a shape. Resolves to the number of states tried, and the violations. */
export async function explore(shape: Shape, options: Explore): Promise<Explored> {
  const model = new Model(shape, options)
  try {
    await model.run()
    return { states: model.states, violations: model.violations }
  } finally {
    rmSync(model.locks, { recursive: true, force: true })
  }
}
