import { asRelPath, isWithin, type RelPath, stagedBytes } from '../../overlay/index.js'
import type { Feedback } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Access, Decide } from '../core/decision.js'
import { type Denial, Denied } from '../core/denials.js'
import type { ToolContext } from '../core/tool-context.js'
import type { GuardRules } from '../fs/index.js'
import {
  AMENDED,
  DELIVERED,
  linesOf,
  type ReviewerWords,
  type SessionQuestions,
  type Undelivered,
  undeliveredWords,
} from '../inbox/index.js'
import { type ContentLock, mayBeProtected, type Policy, repositoryDenial, sessionClosed } from '../policy/index.js'
import { type Amendment, amendmentsFor, type Rejection, type ReviewRecord, rejectionsFor } from '../review/index.js'
import type { LedgerOutbox, StageStore } from '../stage/index.js'
import { SessionLimits } from './limits.js'

export interface GuardDeps {
  readonly id: string
  readonly policy: Policy
  readonly journal: LedgerOutbox
  readonly store: StageStore
  readonly lock: ContentLock
  readonly questions: SessionQuestions
  /** Bytes a session without a pack may hold. */
  readonly memory: number
  readonly tool: () => ToolContext | undefined
}

/**
 * The policy's decision, and what only the session knows: that it is closed, that the ledger cannot be written, and a
 * reviewer's no, which the agent hears once at the next write of the path and once by feedback.
 */
export class SessionGuard implements GuardRules, ReviewerWords {
  closed = false
  #heard: readonly ReviewRecord[] | undefined
  #rejections: readonly Rejection[] = []
  #amendments: readonly Amendment[] = []
  /** Those that stand, by path: each write asks. */
  #standing: ReadonlyMap<string, readonly Rejection[]> = new Map()
  #amended: ReadonlyMap<string, readonly Amendment[]> = new Map()
  /** What is to be told besides of reviewers. */
  readonly #news: Feedback[] = []
  readonly #told: Set<unknown>
  readonly #limits: SessionLimits

  constructor(private readonly deps: GuardDeps) {
    const { store } = deps
    this.#told = new Set(store.queued(DELIVERED))
    const { stage } = store.overlay
    this.#limits = new SessionLimits({ paths: () => stage.bases, bytes: () => stagedBytes(stage.tree.root) })
  }

  readonly decide: Decide = (access) => {
    if (this.closed) return { verdict: 'deny', denial: sessionClosed(this.deps.id, access.asked) }
    const decision = this.deps.policy.decide(access)
    if (decision.verdict === 'deny') {
      const { rule, ruleName = access.path } = decision.denial
      if (rule !== undefined) this.deps.questions.ask(ruleName, rule)
      return decision
    }
    if (access.effect === 'read') return decision
    const denial =
      repositoryDenial(access, (path) => this.deps.store.overlay.typeOf(asRelPath(path))) ??
      this.#ledgerDenial(access) ??
      this.#memoryDenial(access) ??
      this.#limitDenial(access) ??
      this.#rejectionOf(access) ??
      this.#amendmentOf(access)
    if (denial) return { verdict: 'deny', denial }
    const { path, asked, target = path } = access
    for (const name of new Set([path, asked, target])) this.deps.questions.consume(name)
    return decision
  }

  /** Throws Denied where a staged file may not become as long as that. */
  assertRoom(path: RelPath, size: number): void {
    const limit = this.deps.policy.settings()?.limits.bytes
    const has = limit === undefined ? 0 : (this.deps.store.overlay.stage.tree.find(path).node?.inode?.size ?? 0)
    const denial = this.#limits.grow(path, Math.max(0, size - has), limit)
    if (denial) throw new Denied(denial)
  }

  readsBy(at: number): unknown {
    return this.closed ? undefined : this.deps.policy.readsBy(at)
  }

  mayHide(dir: string): boolean {
    return this.deps.policy.mayHide(dir)
  }

  alikeBelow(dir: string): boolean {
    return this.deps.policy.alikeBelow(dir)
  }

  mayBeProtected(name: string): boolean {
    return mayBeProtected(name)
  }

  knownBelow(dir: RelPath): RelPath[] {
    const rejected = [...this.#standing.keys()].filter((path) => isWithin(path, dir) && path !== dir)
    const amended = [...this.#amended.keys()].filter(
      (path) => isWithin(path, dir) && this.#unreadPaths(path).length > 0,
    )
    return [...this.deps.lock.readBelow(dir), ...[...rejected, ...amended].map(asRelPath)]
  }

  /** What reviewers have said and done so far. */
  hear(reviews: readonly ReviewRecord[]): void {
    if (reviews !== this.#heard) {
      this.#heard = reviews
      this.#rejections = rejectionsFor(reviews)
      this.#amendments = amendmentsFor(reviews)
      this.#standing = verdictsByPath(this.#rejections)
      this.#amended = verdictsByPath(this.#amendments)
    }
    this.deps.questions.hear(reviews)
    this.#limits.recount()
  }

  /** What reviewers said and did that the agent has not been told of; it counts as told now. */
  feedback(): Feedback[] {
    const fresh = this.undeliveredWords()
    for (const { keys } of fresh) for (const key of keys) this.#deliver(key)
    return [...fresh.map(({ feedback }) => feedback), ...this.#news.splice(0)]
  }

  /** Somebody else gave the agent words: keys of what is undelivered. All other keys are ignored. */
  markDelivered(keys: readonly string[]): void {
    if (keys.length === 0) return
    const open = new Set(this.undeliveredWords().flatMap((each) => each.keys))
    for (const key of keys) if (open.has(key)) this.#deliver(key)
  }

  /** What reviewers said that the agent was not given. */
  undeliveredWords(): Undelivered[] {
    return [...undeliveredWords(this.#heard ?? [], this.#told), ...this.deps.questions.undeliveredAnswers()]
  }

  #deliver(key: string): void {
    if (!this.deps.questions.markDelivered(key)) this.#tell(key)
  }

  /**
   * The agent takes files out of its stage, and what reviewers wrote into them goes too: it is told.
   * @throws EscrowError `stale_file`, once, where it does not know of it yet; then nothing goes.
   */
  reverting(paths: readonly string[]): void {
    const denials = paths.flatMap((path) => this.#amendmentOf({ effect: 'remove', path, asked: path }) ?? [])
    const [denial] = denials
    if (denial) {
      const refused = denials.map(({ message, reason, file = '' }) => ({ path: file, reason, message }))
      const hint = 'Read it, then revert it if it is still to go.'
      throw new EscrowError('stale_file', `${denial.message} Nothing was reverted.`, { hint, refused })
    }
    for (const { path, cause, by } of [...new Set(paths)].flatMap((path) => this.#amended.get(path) ?? [])) {
      if (cause !== 'edit') continue
      this.#news.push({ path, kind: 'reverted', reason: `What ${by.name} wrote into this file went with it.`, by })
    }
  }

  /** The model was shown a path: it knows what reviewers have made of it. An edit tool's own reading is not shown. */
  saw(path: string): void {
    if (this.#amendments.length === 0) return
    const kind = this.deps.tool()?.kind
    if (kind !== undefined && kind !== 'read') return
    for (const amendment of this.#unreadPaths(path)) this.#tell(keyOf('write', amendment))
  }

  /** To be told with the next feedback. */
  inform(news: Feedback): void {
    this.#news.push(news)
  }

  #unreadPaths(path: string): Amendment[] {
    return (this.#amended.get(path) ?? []).filter((each) => !this.#told.has(keyOf('write', each)))
  }

  /** Once: an agent that writes what it had in mind would undo what a reviewer wrote, and nobody would have noticed. */
  #amendmentOf({ path, effect }: Access): Denial | undefined {
    const unseen = this.#unreadPaths(path)
    if (effect === 'read' || unseen.length === 0) return undefined
    for (const amendment of unseen) this.#tell(keyOf('write', amendment))
    const names = [...new Set(unseen.map(({ by }) => by.name))].join(', ')
    const hint = unseen.map(({ by, cause }) => `${by.name} ${AMENDED[cause]}.`).join(' ')
    const message = `Stale File: ${path} was changed by ${names} since you read it. Read it again, then retry.`
    return { reason: 'stale_file', message, hint, file: path }
  }

  #ledgerDenial(access: Access): Denial | undefined {
    const { problem } = this.deps.journal
    if (problem === undefined) return undefined
    return { reason: 'ledger_unavailable', message: problem, file: access.asked }
  }

  /** Only a session that keeps no pack gets here: others leave content to it. */
  #memoryDenial({ effect, asked }: Access): Denial | undefined {
    const { bytes } = this.deps.store.overlay.stage.upper
    if (effect !== 'put' || bytes <= this.deps.memory) return undefined
    return {
      reason: 'limit_exceeded',
      message: `Limit Exceeded: this session holds ${bytes} bytes in memory; the most is ${this.deps.memory}.`,
      hint: "Commit or revert some of it, or open the workspace with durability 'process', which spills to disk.",
      file: asked,
    }
  }

  #limitDenial(access: Access): Denial | undefined {
    const limits = this.deps.policy.settings()?.limits
    return limits && this.#limits.take(access, limits)
  }

  #rejectionOf(access: Access): Denial | undefined {
    const standing = this.#standing.get(access.path) ?? []
    const untold = standing.filter((each) => !this.#told.has(keyOf('write', each)))
    if (untold.length === 0) return undefined
    for (const rejection of untold) this.#tell(keyOf('write', rejection))
    return {
      reason: 'user_rejected',
      message: untold.map(({ reason }) => reason).join('\n'),
      hint: `${untold.map(rejectedBy).join(' ')} Change what you write, then try again.`,
      file: access.path,
    }
  }

  #tell(key: string): void {
    this.#told.add(key)
    this.deps.store.enqueue(DELIVERED, key)
  }
}

function verdictsByPath<T extends { readonly path: string; readonly standing: boolean }>(
  all: readonly T[],
): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const each of all) {
    if (!each.standing) continue
    const known = found.get(each.path)
    if (known) known.push(each)
    else found.set(each.path, [each])
  }
  return found
}

function keyOf(kind: string, { id, path }: { readonly id: string; readonly path: string }): string {
  return `${kind}:${id}:${path}`
}

function rejectedBy({ by, hunks }: Rejection): string {
  const places = linesOf(hunks).map(([first, last]) => (first === last ? `line ${first}` : `lines ${first} to ${last}`))
  return `${by.name} rejected ${places.length === 0 ? '' : `${places.join(', ')} of `}the staged change of this file.`
}
