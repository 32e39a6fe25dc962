import { setTimeout as sleep } from 'node:timers/promises'
import type { Workspace } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { HubRefusal } from './ask.js'
import { HubClient, type ReceivedDecision, type ReceivedLanding } from './hub-client.js'
import { isAlike, namesOf, type Outcome, recordAlike, recordDecision } from './incoming.js'
import { recordLanded } from './landed.js'
import { LedgerSender } from './ledger-sender.js'
import type { SyncReport } from './report.js'
import { Sender } from './sender.js'
import { newestLanded, type Remote, readRemote, readSeen, type Seen, writeSeen } from './settings.js'

/** Seconds that the hub waits for a decision. */
const WAIT = 25
/** Milliseconds until a hub that is away, or that refused a session, is asked again. */
const RETRY_MS = 5_000
/** Milliseconds between two looks at the ledger: sending new lines verifies all of them. */
const LEDGER_MS = 2_000

/** Keeps a workspace and its hub in step. */
export class RemoteSync {
  readonly #remote: Remote
  readonly #client: HubClient
  readonly #sender: Sender
  readonly #ledger: LedgerSender
  #seen: Seen
  readonly #told: Map<string, string>

  constructor(
    private readonly workspace: Workspace,
    private readonly report: (report: SyncReport) => void,
  ) {
    this.#remote = readRemote(workspace.root)
    this.#client = new HubClient(this.#remote)
    this.#ledger = new LedgerSender(workspace, this.#client, this.#remote, report)
    this.#seen = readSeen(workspace.root, this.#remote)
    this.#told = new Map(Object.entries(this.#seen.told))
    this.#sender = new Sender(workspace, this.#client, this.#remote.name, report, this.#told)
  }

  /**
   * Sends once, and records the decisions that there are at the first answer. Rejects with `away` if the hub does not answer. The ledger is
   * sent last, so that its faults delay nothing else.
   */
  async once(): Promise<void> {
    await this.#send()
    await this.#receiveAll()
    await this.#ledger.send()
  }

  /** Goes on until the signal. A hub that is away is asked again; work on this machine does not wait for it. */
  async watch(signal: AbortSignal): Promise<void> {
    let isChanged = true
    let retryAt = 0
    const end = this.workspace.watch(({ sessions, intents }) => {
      if (sessions.length > 0 || intents) isChanged = true
    })
    const tasks = [
      this.#repeat(signal, async () => {
        const isDue = isChanged || (this.#sender.isBehind && performance.now() >= retryAt)
        isChanged = false
        // A lease lasts longer than this pause.
        if (isDue)
          await this.#send().catch((error: unknown) => {
            isChanged = true
            throw error
          })
        if (isDue) retryAt = performance.now() + RETRY_MS
        await sleep(SEND_MS, undefined, { signal }).catch(() => undefined)
      }),
      this.#repeat(signal, () => this.#receive(WAIT, signal).then(() => undefined)),
      this.#repeat(signal, async () => {
        await this.#ledger.sendIfChanged()
        await sleep(LEDGER_MS, undefined, { signal }).catch(() => undefined)
      }),
    ]
    try {
      await Promise.all(tasks)
    } finally {
      end()
    }
  }

  async #repeat(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    let isAway = false
    while (!signal.aborted) {
      try {
        await work()
        isAway = false
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof HubRefusal)) throw error
        if (!isAway) this.report({ kind: 'problem', message: error.message })
        isAway = true
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  async #send(): Promise<void> {
    const sessions = await this.#sender.send(this.#seen.sessions)
    const told = [...this.#told].filter(([session]) => sessions.includes(session))
    this.#keep({ sessions, told: Object.fromEntries(told) })
    // A session may again have bytes that were decided on in the meantime.
    for (const decision of this.#seen.waiting) await this.#record(decision, true)
  }

  /** Ends where the hub was at the first answer: on a busy hub, people go on deciding. */
  async #receiveAll(): Promise<void> {
    const last = await this.#receive(0)
    while (this.#seen.since < last) await this.#receive(0)
  }

  /** Records one answer's decisions. Returns the number of the newest one that the hub has. */
  async #receive(wait: number, signal?: AbortSignal): Promise<number> {
    const { since } = this.#seen
    const { decisions, landings, next, last, lands } = await this.#client.decisions(since, wait, signal)
    if (last < since)
      throw new EscrowError(
        'ledger_fork',
        `The hub at ${this.#remote.url} has fewer decisions than it had: an older database was restored.`,
        {
          hint: "If its operator says that this is right, run 'escrow remote add URL' again after 'escrow remote remove'.",
        },
      )
    const isMore = decisions.length + landings.length > 0 || last > since
    if (next < since || (next === since && isMore))
      throw new HubRefusal('failed', `The hub at ${this.#remote.url} sends the same decisions again and again.`)
    // A file may be approved, evicted and approved again.
    const all = [...decisions, ...landings].sort((a, b) => a.seq - b.seq)
    for (const group of groupsOf(all))
      if ('state' in group) await this.#recordLanding(group)
      else if (!(await this.#recordTogether(group))) for (const each of group) await this.#record(each)
    // Saved after the decisions. After a crash in between, the same decisions are received again, and have no effect.
    this.#keep({ since: next, lands })
    return last
  }

  /** Records decisions that are alike in one go. Returns false if they must be recorded one by one. */
  async #recordTogether(decisions: Alike): Promise<boolean> {
    const [first] = decisions
    const session = this.#ownSession(first)
    if (session === undefined) return true
    const { waiting, rejected } = this.#seen
    const keys = new Set(decisions.map(({ key }) => key))
    if (decisions.length === 1 || waiting.some((each) => each.session === first.session && keys.has(each.key)))
      return false
    const outcomes = await recordAlike(this.workspace, session, decisions, rejected)
    const late = decisions.filter((_, at) => outcomes[at] === 'other bytes')
    const refused = decisions.filter((_, at) => outcomes[at] === 'rejected')
    this.#keep({
      waiting: [...waiting, ...late].slice(-MAX_WAITING),
      rejected: [...rejected, ...refused.flatMap(namesOf)].slice(-MAX_REJECTED),
    })
    for (const [at, decision] of decisions.entries()) {
      const outcome = outcomes[at] ?? 'other bytes'
      this.report(describeOutcome(session, decision, outcome === 'other bytes' ? 'passed over' : outcome))
    }
    return true
  }

  /** @param isWaiting whether it was received before */
  async #record(decision: ReceivedDecision, isWaiting = false): Promise<void> {
    const session = this.#ownSession(decision)
    if (session === undefined) return
    const outcome = await this.#decide(session, decision, isWaiting)
    if (outcome !== undefined) this.report(describeOutcome(session, decision, outcome))
  }

  /**
   * Records a decision, or keeps it for the bytes that it is on. Returns undefined if it still waits for them. Decisions on the same bytes
   * are recorded in their order, because a later one on a hunk changes an earlier one on the whole.
   */
  async #decide(session: string, decision: ReceivedDecision, isWaiting: boolean): Promise<Outcome | undefined> {
    const isOnSame = (each: ReceivedDecision) => each.session === decision.session && each.key === decision.key
    if (!isWaiting) for (const each of this.#seen.waiting.filter(isOnSame)) await this.#record(each, true)
    const { waiting, rejected } = this.#seen
    const place = isWaiting ? waiting.findIndex((each) => isOnSame(each) && isOnParts(decision, each)) : waiting.length
    if (place === -1) return undefined
    const others = waiting.filter((each, at) =>
      isWaiting ? at !== place : !isOnSame(each) || !replaces(decision, each),
    )
    const isBlocked = others.some((each, at) => at < place && isOnSame(each))
    const recorded = isBlocked ? 'other bytes' : await recordDecision(this.workspace, session, decision, rejected)
    if (isWaiting && recorded === 'other bytes') return undefined
    this.#keep({ waiting: recorded === 'other bytes' ? [...others, decision].slice(-MAX_WAITING) : others })
    if (recorded === 'rejected') this.#keep({ rejected: [...rejected, ...namesOf(decision)].slice(-MAX_REJECTED) })
    return recorded === 'other bytes' ? 'passed over' : recorded
  }

  async #recordLanding(landing: ReceivedLanding): Promise<void> {
    const session = this.#ownSession(landing)
    if (session === undefined) return
    const { state, branch, commit, changes, reason = 'It did not land.' } = landing
    if (state === 'landed' && commit !== undefined) {
      const landed = { session, branch, commit, changes }
      const problem = await recordLanded(this.workspace, landed)
      if (problem !== undefined) this.report({ kind: 'problem', session, message: problem })
      const others = this.#seen.landed.filter((each) => each.commit !== commit || each.session !== session)
      this.#keep({ landed: newestLanded([...others, landed]) })
      this.report({ kind: 'landed', session, branch, commit, changes: changes.length })
      return
    }
    // A rejection like a reviewer's: it replaces an approval of the same bytes, also one that waits for them.
    for (const { key, path } of changes) {
      const decision = { seq: landing.seq, session: landing.session, key, path, verdict: 'rejected', reason } as const
      const outcome = await this.#decide(session, Object.assign({ reviewer: 'landing queue' }, decision), false)
      if (outcome === 'rejected') this.report({ kind: 'evicted', session, path, reason })
    }
  }

  /** This machine's name of a session; undefined for another machine's. */
  #ownSession({ session }: { readonly session: string }): string | undefined {
    const prefix = `${this.#remote.name}.`
    return session.startsWith(prefix) ? session.slice(prefix.length) : undefined
  }

  #keep(change: Partial<Seen>): void {
    this.#seen = Object.assign({}, this.#seen, change)
    writeSeen(this.workspace.root, this.#seen)
  }
}

type Alike = readonly [ReceivedDecision, ...ReceivedDecision[]]

/** Divides what was received into landings and runs of decisions that are alike, each on another path. All keep their order. */
function groupsOf(all: readonly (ReceivedDecision | ReceivedLanding)[]): (ReceivedLanding | Alike)[] {
  const groups: (ReceivedLanding | [ReceivedDecision, ...ReceivedDecision[]])[] = []
  let paths = new Set<string>()
  for (const each of all) {
    const last = groups.at(-1)
    if ('state' in each) groups.push(each)
    else if (Array.isArray(last) && isAlike(last[0], each) && !paths.has(each.path)) last.push(each)
    else {
      groups.push([each])
      paths = new Set()
    }
    if (!('state' in each)) paths.add(each.path)
  }
  return groups
}

/**
 * Whether a decision replaces an earlier one on the same bytes. One on the whole change replaces those on its hunks.
 */
function replaces(decision: ReceivedDecision, earlier: ReceivedDecision): boolean {
  return decision.hunks === undefined || isOnParts(decision, earlier)
}

/** Whether both are on the whole change, or on the same hunks of it. */
function isOnParts(one: ReceivedDecision, other: ReceivedDecision): boolean {
  return one.hunks?.join() === other.hunks?.join()
}

function describeOutcome(
  session: string,
  { path, verdict, reviewer, approvers = [], parts = [], hunks }: ReceivedDecision,
  outcome: Outcome,
): SyncReport {
  const people = [...new Set([...parts.map(({ name }) => name), ...approvers])]
  const several = verdict === 'approved' && people.length > 1 ? people : undefined
  return { kind: 'decided', session, path, outcome, reviewer, ...defined({ hunks: hunks?.length, approvers: several }) }
}

/** Rejections that the hub can still turn into approvals here. */
const MAX_REJECTED = 1_000
/** Decisions that wait for their bytes. */
const MAX_WAITING = 200
/** Milliseconds between two looks for something to send. */
const SEND_MS = 500
