import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { oneLine } from '../core/printable.js'
import { messageOf, purposeOf, subjectOf } from '../git/index.js'
import { type Database, HubError, type LandingEnd, type OpenLanding, openStores, type Turn } from '../hub/index.js'
import { withProcessLock } from '../os/lock.js'
import { BranchTree } from './branch-tree.js'
import { checksFor, type FailedCheck, runChecks } from './checks.js'
import { Clone, type Committer } from './clone.js'
import { Preparation } from './prepare.js'
import { checkReason, declinedReason, unfitReason } from './reasons.js'
import type { WorkerReport } from './report.js'

/** The most landings that are checked and pushed together. */
const MOST_TOGETHER = 20
/** The most pushes of one turn that may fail because somebody else pushed first. */
const MOST_RACES = 10
/** Milliseconds until a workspace with a problem is tried again, and between two renewals of the turn during checks. */
const PAUSE_MS = 60_000
const BEAT_MS = 60_000
const DEFAULT_EMAIL = 'escrow-hub@localhost'

export interface TurnOptions {
  readonly database: Database
  /** The directory for clones. */
  readonly work: string
  readonly report: (report: WorkerReport) => void
  readonly signal: AbortSignal
}

/** A landing and the commit that was made of it. */
interface Built {
  readonly landing: OpenLanding
  readonly commit: string
}

/** Lands the waiting landings of a workspace, until none is left or the repository or this machine has a problem. */
export async function landTurn(options: TurnOptions, turn: Turn): Promise<void> {
  const { landings } = openStores(options.database, turn)
  try {
    await withProcessLock(`${options.work}/locks`, `${turn.tenant}.${turn.workspace}`, () =>
      new TurnRun(options, turn).run(),
    )
  } catch (error) {
    if (error instanceof HubError && error.code === 'fenced') return
    const problem = options.signal.aborted ? undefined : oneLine(errorText(error))
    if (problem !== undefined) options.report({ kind: 'problem', workspace: turn.workspace, message: problem })
    await landings.pause(turn, problem ?? '', problem === undefined ? 0 : PAUSE_MS)
  }
}

class TurnRun {
  readonly #clone: Clone
  readonly #stores
  #together = MOST_TOGETHER
  #races = 0

  constructor(
    private readonly options: TurnOptions,
    private readonly turn: Turn,
  ) {
    this.#stores = openStores(options.database, turn)
    this.#clone = Clone.open(options.work, turn)
  }

  async run(): Promise<void> {
    for (;;) {
      this.options.signal.throwIfAborted()
      const batch = await this.#stores.landings.begin(this.turn, this.#together)
      if (batch.length === 0) return
      await this.#land(batch)
    }
  }

  async #land(batch: readonly OpenLanding[]): Promise<void> {
    const tip = this.#clone.fetch()
    const remaining = await this.#withoutWithdrawn(await this.#withoutLanded(tip, batch))
    const tree = new BranchTree(this.#clone.entries(tip))
    await this.#push(tip, tree, await this.#build(tip, tree, remaining))
  }

  /**
   * Checks the last commit, and pushes all of them if it passes. Else it tries the first half, and so on. A landing
   * that fails alone is evicted. Each commit is based on the previous one, so a part of them needs no new commits.
   */
  async #push(tip: string, tree: BranchTree, built: readonly Built[]): Promise<void> {
    let tried = built
    let failing = 0
    for (;;) {
      const last = tried.at(-1)
      if (last === undefined) return
      const refused = await this.#try(tip, last.commit, tree, tried)
      if (refused === 'lost') return this.#lost()
      if (refused !== undefined && tried.length > 1) {
        failing = tried.length
        tried = tried.slice(0, Math.ceil(failing / 2))
        continue
      }
      if (refused !== undefined) await this.#evict(last.landing, refused.why)
      else await this.#end(tried.map(({ landing: { id }, commit }) => ({ id, state: 'landed', commit })))
      // One of the landings right after those that passed fails.
      this.#together = refused === undefined && failing > 0 ? failing - tried.length : MOST_TOGETHER
      this.#races = 0
      return
    }
  }

  /** Checks a commit and pushes it. Returns why it may not be pushed. */
  async #try(
    tip: string,
    commit: string,
    tree: BranchTree,
    built: readonly Built[],
  ): Promise<{ readonly why: string } | 'lost' | undefined> {
    const landings = built.map(({ landing }) => landing)
    const failed = await this.#check(commit, checksFor(this.#clone, tree, this.turn.checks, landings))
    if (failed !== undefined) return { why: checkReason(this.turn.branch, failed) }
    // A full turn is left for the push, which takes less time. If a landing was rejected during the checks, the batch
    // starts again without it.
    if (!(await this.#stores.landings.renew(this.turn, landings))) return 'lost'
    const pushed = this.#clone.push(tip, commit)
    if (pushed.is === 'declined') return { why: declinedReason(this.turn.branch, pushed.why) }
    return pushed.is === 'lost' ? 'lost' : undefined
  }

  /**
   * A worker may have died after its push. A landing that the branch has is recorded as landed, and not pushed again.
   */
  async #withoutLanded(tip: string, batch: readonly OpenLanding[]): Promise<OpenLanding[]> {
    const tried = batch.filter(({ attempts }) => attempts > 0).map(({ id }) => id)
    const found = tried.length === 0 ? new Map<string, string>() : this.#clone.landed(tip, tried)
    await this.#end([...found].map(([id, commit]) => ({ id, state: 'landed', commit })))
    return batch.filter(({ id }) => !found.has(id))
  }

  /** Leaves out, and withdraws, landings that were rejected or replaced after a worker had taken them. */
  async #withoutWithdrawn(landings: readonly OpenLanding[]): Promise<OpenLanding[]> {
    const withdrawn = landings.filter(({ mayLand }) => !mayLand)
    await this.#end(withdrawn.map(({ id }) => ({ id, state: 'withdrawn' })))
    return landings.filter(({ mayLand }) => mayLand)
  }

  /** Builds one commit after the other. A landing that does not fit is evicted. */
  async #build(tip: string, tree: BranchTree, landings: readonly OpenLanding[]): Promise<Built[]> {
    const built: Built[] = []
    const ends: LandingEnd[] = []
    const refuse = ({ id }: OpenLanding, reason: string, paths: readonly string[]) =>
      ends.push({ id, state: 'evicted', reason: unfitReason(this.turn.branch, { reason, paths }), paths })
    const committer = this.#committer()
    const intents = new Map((await this.#stores.registry.intents()).map(({ id, name }) => [id, name]))
    for (const landing of landings) {
      const parent = built.at(-1)?.commit ?? tip
      const prepared = await new Preparation(this.#clone, tree, this.#stores.contents, landing).run(parent)
      if ('unfit' in prepared) refuse(landing, prepared.unfit.reason, prepared.unfit.paths)
      else if (prepared.changes.size === 0) ends.push({ id: landing.id, state: 'landed', commit: tip })
      else {
        const author = landing.reviewers[0] ?? committer.name
        const commit = this.#clone.commit(
          parent,
          prepared.changes,
          (git) => messageOf(git, ...describe(landing, intents)),
          {
            author,
            name: committer.name,
            email: committer.email,
          },
        )
        if ('commit' in commit) built.push({ landing, commit: commit.commit })
        else {
          refuse(landing, `git refuses a path: ${commit.refused}`, [...prepared.changes.keys()])
          // The tree already has its changes, so the later landings are left to the next batch.
          break
        }
      }
    }
    await this.#end(ends)
    return built
  }

  async #check(commit: string, required: ReturnType<typeof checksFor>): Promise<FailedCheck | undefined> {
    const stop = new AbortController()
    const beat = setInterval(() => {
      this.#stores.landings.renew(this.turn).catch((error: unknown) => {
        // After a short outage of the database the turn is still valid, because it lasts longer.
        if (error instanceof HubError) stop.abort(error)
      })
    }, BEAT_MS)
    try {
      return await runChecks(
        this.#clone,
        this.turn.directory,
        commit,
        required,
        AbortSignal.any([stop.signal, this.options.signal]),
      )
    } finally {
      clearInterval(beat)
    }
  }

  async #evict({ id, changes }: OpenLanding, reason: string): Promise<void> {
    await this.#end([{ id, state: 'evicted', reason, paths: changes.map(({ path }) => path) }])
  }

  #lost(): void {
    this.#races++
    if (this.#races > MOST_RACES)
      throw new EscrowError(
        'unsupported',
        `${this.turn.branch} moved ${this.#races} times while its landings were checked.`,
      )
  }

  async #end(ends: readonly LandingEnd[]): Promise<void> {
    if (ends.length === 0) return
    await this.#stores.landings.end(this.turn, ends)
    for (const end of ends) this.options.report({ kind: 'ended', workspace: this.turn.workspace, end })
  }

  #committer(): Pick<Committer, 'name' | 'email'> {
    const { name = 'Escrow hub', email = DEFAULT_EMAIL } = this.#clone.user()
    return { name, email }
  }
}

/**
 * The message of a landing's commit, and the data of its trailers. The subject is that of `escrow commit --git`: the name of the intent.
 * @param names of the intents, by their ids
 */
function describe(
  { id, changes, reviewers }: OpenLanding,
  names: ReadonlyMap<string, string>,
): Parameters<typeof messageOf> extends [unknown, ...infer Rest] ? Rest : never {
  const intents = [...new Set(changes.flatMap(({ intent }) => intent ?? []))].sort()
  const agents = [...new Set(changes.flatMap(({ agent }) => agent ?? []))].sort()
  const credits = {
    intents: intents.map(oneLine),
    agents: agents.map((tool) => ({ tool: oneLine(tool) })),
    reviewers: reviewers.map((name) => ({ name: oneLine(name) })),
    tiers: [],
    head: undefined,
    landing: id,
  }
  const paths = changes.map(({ path }) => path)
  return [subjectOf(purposeOf(intents, (each) => names.get(each), paths)), credits]
}
