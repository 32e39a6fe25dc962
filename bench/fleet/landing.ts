import { digest } from '../../overlay/index.js'
import { newId } from '../../src/core/ids.js'
import {
  changeKey,
  type Database,
  type LandingEnd,
  openDatabase,
  openStores,
  type QueuedChange,
  setRepository,
} from '../../src/hub/index.js'
import { runWorker } from '../../src/landing/index.js'
import type { Bench } from '../bench.js'
import { memoryPlace } from '../places.js'
import { OURS } from '../report.js'
import { Branch } from './branch.js'

/** One agent's approved change set, and the required end of its landing. */
interface ChangeSet {
  readonly session: string
  readonly changes: readonly QueuedChange[]
  /** Undefined: either end is right, as for one of two that exclude each other. */
  readonly end: LandingEnd['state'] | undefined
}

/** A workspace of the hub with a repository, and a worker that lands what is approved. */
class Landings {
  readonly #stores
  readonly #scope = { tenant: newId(), workspace: 'landing' }
  readonly #stop = new AbortController()
  readonly #contents = new Map<string, Uint8Array>()
  readonly #waiting: (() => void)[] = []
  #worker: Promise<void> = Promise.resolve()
  #problem: Error | undefined
  /** The ends of landings by session. */
  readonly ends = new Map<string, LandingEnd['state']>()

  private constructor(
    database: Database,
    readonly branch: Branch,
  ) {
    this.#stores = openStores(database, this.#scope)
  }

  static async start(database: Database, seconds: number): Promise<Landings> {
    const { path } = memoryPlace()
    const landings = new Landings(database, new Branch(path, seconds))
    const { url, name } = landings.branch
    await setRepository(database, Object.assign({ url, branch: name, directory: '', checks: [] }, landings.#scope))
    landings.#worker = runWorker({
      database,
      work: `${path}/work`,
      signal: landings.#stop.signal,
      report: (report) => {
        if (report.kind === 'problem') landings.#problem = new Error(report.message)
        for (const wake of landings.#waiting.splice(0)) wake()
      },
    })
    return landings
  }

  /** A change of one of the branch's files, or a new one. */
  change(path: string, after: string, isNew = false): QueuedChange {
    const content = Buffer.from(after)
    this.#contents.set(digest(content), content)
    const before = isNew ? null : digest(this.branch.content)
    if (before !== null) this.#contents.set(before, this.branch.content)
    const shown = { before, after: digest(content) }
    const kind = isNew ? 'create' : 'modify'
    return Object.assign({ path, kind, risk: 0, shown, intent: this.branch.intent } as const, shown)
  }

  /** Changes within a file that the branch has. */
  edit(n: number, line: string): QueuedChange {
    return this.change(this.branch.path(n), `${line}\n${this.branch.content}`)
  }

  /** Submits a change set as its machine does, and approves it as a reviewer does. */
  async approve({ session, changes }: ChangeSet): Promise<void> {
    for (const [each, bytes] of this.#contents) await this.#stores.contents.put(each, bytes)
    this.#contents.clear()
    const { epoch } = await this.#stores.registry.open(session, 'machine')
    const submission = { digest: digest(session), revision: 1, changes }
    const { id } = await this.#stores.queue.submit({ session, host: 'machine', epoch }, submission)
    const keys = changes.map((each) => changeKey(each))
    await this.#stores.queue.decide(id, { keys, verdict: 'approved' }, 'Ada')
  }

  /** Waits until this many landings have ended. @throws Error with the worker's problem */
  async ended(count: number): Promise<void> {
    for (;;) {
      if (this.#problem !== undefined) throw this.#problem
      const woken = new Promise<void>((resolve) => this.#waiting.push(resolve))
      for (const { session, state } of await this.#stores.landings.list())
        if (state === 'landed' || state === 'evicted') this.ends.set(session, state)
      if (this.ends.size >= count) return
      await woken
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#worker
  }
}

/** @param sets change sets with disjoint paths: each edits two files and adds one */
function disjoint(landings: Landings, sets: number): ChangeSet[] {
  return Array.from({ length: sets }, (_, at) => {
    const added = landings.change(`src/new-${at}.ts`, `export const added = ${at}\n`, true)
    const changes = [landings.edit(2 * at, `// ${at}`), landings.edit(2 * at + 1, `// ${at}`), added]
    return { session: `machine.agent-${at}`, changes, end: 'landed' }
  })
}

/** Among change sets that land, some fail the check, some collide with one before them, and two exclude each other. */
function mixSets(landings: Landings, sets: number): ChangeSet[] {
  const fifth = Math.ceil(sets / 5)
  const good = disjoint(landings, sets - 2 * fifth - 2)
  const failing = Array.from({ length: fifth }, (_, n) => ({
    session: `machine.failing-${n}`,
    changes: [landings.change(`src/failing-${n}.ts`, 'BROKEN\n', true)],
    end: 'evicted' as const,
  }))
  const colliding = Array.from({ length: fifth }, (_, n) => ({
    session: `machine.colliding-${n}`,
    changes: [landings.edit(2 * n, '// another line')],
    end: 'evicted' as const,
  }))
  const excluding = ['left', 'right'].map((name) => ({
    session: `machine.${name}`,
    changes: [landings.change(`src/${name}.ts`, `${name}\n`, true)],
    end: undefined,
  }))
  // In turns, so that batches have some of each kind. A colliding set comes after the one that it collides with.
  return good.flatMap((each, n) =>
    [each, failing[n], colliding[n], excluding[n - 1]].filter((set) => set !== undefined),
  )
}

/**
 * Landings by the real worker into a real repository, together and one at a time, and a mix in which some must not
 * land.
 */
export function measureLanding(bench: Bench, url: string): Promise<void> {
  const [sets, seconds] = bench.quick ? [10, 0.2] : [50, 1]
  return openDatabase({ url }, async (database) => {
    const title = `${sets} disjoint landings with a check of ${seconds} s`
    try {
      const single = await landAll(database, seconds, (landings) => disjoint(landings, sets), 1)
      const together = await landAll(database, seconds, (landings) => disjoint(landings, sets), sets)
      const values = { 'one at a time': single.nanoseconds, together: together.nanoseconds }
      bench.values(
        title,
        'ns',
        Object.entries(values).map(([name, value]) => ({ name, value })),
      )
      const share = (100 * together.nanoseconds) / single.nanoseconds
      bench.values(`${title}: together, of the time one at a time`, 'percent', [{ name: OURS, value: share }], {
        of: 'value',
        atMost: 20,
      })
      const mix = await landAll(database, seconds, (landings) => mixSets(landings, sets), sets)
      reportMix(bench, sets, mix)
    } catch (error) {
      bench.skip(title, error instanceof Error ? error.message : String(error))
    }
  })
}

interface Landed {
  readonly nanoseconds: number
  readonly wrong: number
  readonly branch: Branch
  readonly ends: ReadonlyMap<string, LandingEnd['state']>
}

/** @param together how many are approved before the first of them has landed */
async function landAll(
  database: Database,
  seconds: number,
  make: (landings: Landings) => ChangeSet[],
  together: number,
): Promise<Landed> {
  const landings = await Landings.start(database, seconds)
  try {
    const sets = make(landings)
    const start = performance.now()
    for (let at = 0; at < sets.length; at += together) {
      const next = sets.slice(at, at + together)
      for (const set of next) await landings.approve(set)
      await landings.ended(at + next.length)
    }
    const nanoseconds = (performance.now() - start) * 1e6
    const wrong = sets.filter(({ session, end }) => end !== undefined && landings.ends.get(session) !== end).length
    return { nanoseconds, wrong, branch: landings.branch, ends: landings.ends }
  } finally {
    await landings.stop()
  }
}

function reportMix(bench: Bench, sets: number, { nanoseconds, wrong, branch, ends }: Landed): void {
  const title = `${sets} landings, of which some fail their check or collide`
  const [tips, commits] = [branch.tips(), branch.commits()]
  const states = [...ends.values()]
  const values = {
    landed: states.filter((state) => state === 'landed').length,
    evicted: states.filter((state) => state === 'evicted').length,
    pushes: tips.length,
    'commits of the branch': commits.length,
    'red commits between tips': branch.red(commits.filter((commit) => !tips.includes(commit))).length,
  }
  bench.values(
    title,
    'count',
    Object.entries(values).map(([name, value]) => ({ name, value })),
  )
  bench.values(`${title}: until all have ended`, 'ns', [{ name: OURS, value: nanoseconds }])
  const none = { of: 'value', atMost: 0 } as const
  bench.values(`${title}: red tips`, 'count', [{ name: OURS, value: branch.red(tips).length }], none)
  bench.values(`${title}: with the wrong end`, 'count', [{ name: OURS, value: wrong }], none)
}
