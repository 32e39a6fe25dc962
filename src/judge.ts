import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isWithin, type RelPath, Resolver, ROOT } from '../overlay/index.js'
import type { AgentInfo, Feedback, GateSettings, Intent, PlannedWrite, Session } from './core/api.js'
import { EscrowError } from './core/api-error.js'
import { type Denial, Denied } from './core/denials.js'
import { isSessionId } from './core/ids.js'
import { type Layout, layoutOf } from './core/layout.js'
import { closedByRules } from './exec-closed.js'
import { GuardedLayer } from './fs/guarded.js'
import { judgeWrites } from './fs/judge-writes.js'
import { View } from './fs/view.js'
import { isOwned } from './host/owner.js'
import { openRegistry, selectable, selectableIds } from './intents/index.js'
import { createPolicy, openPolicyFile, type Policy, secretName } from './policy/index.js'
import { missingMutationClass } from './policy/messages.js'
import { mayBeProtected } from './policy/protected.js'
import { amendmentsFor } from './review/amend.js'
import { openReviewLog } from './review/log.js'
import type { ReviewRecord } from './review/record.js'
import { rejectionsFor } from './review/verdicts.js'
import { SessionAdmission } from './session-admission.js'
import { claimedBy } from './session-claims.js'
import { feedbackKey, isToTell, TOLD, withdrawalsToTell } from './session-guard.js'
import { SessionQuestions } from './session-questions.js'
import { readStage, type StageStore } from './stage-store.js'
import { SecretNames } from './terminal/index.js'
import { newDraft, openLedger } from './trace/index.js'
import { openWorkspace } from './workspace.js'
import { physicalRoot, refuseLink } from './workspace-root.js'

export interface JudgeOptions {
  /** The session the calls are of; it need not exist. */
  readonly session: string
  /** The intent they are made for. Without it: what the session's owner has selected, else the registry's active one. */
  readonly intent?: string
  readonly agent?: AgentInfo
}

/** A tool call that its host is going to run itself. */
export interface JudgedCall {
  readonly tool: string
  readonly id?: string
  readonly writes?: readonly PlannedWrite[]
  /** Files it shows to the model. */
  readonly reads?: readonly string[]
  /** Directories whose files' contents it searches. */
  readonly searches?: readonly string[]
  /** Refused without an active intent, whatever it writes. */
  readonly needsIntent?: boolean
  readonly command?: string
  readonly declaresClass?: boolean
}

/**
 * Judges a host's tool calls by the rules a session's own calls are judged by, and owns no session: the answer is the same while
 * another process holds it, and on a disk that cannot be written. What it denies is recorded where the ledger can be written.
 */
export interface CallJudge extends Pick<Session, 'intent' | 'intents'> {
  readonly root: string
  readonly session: string
  readonly gate: GateSettings
  /** A living process holds the session. */
  readonly isHeld: boolean
  /** The first denial. */
  judge(call: JudgedCall): Promise<Denial | undefined>
  /** Records a denial that is its caller's own. */
  refuse(denial: Denial, call: Pick<JudgedCall, 'tool' | 'id'>): Promise<void>
  /** What reviewers said and the agent has not heard, if the session is at rest: who holds it tells it. It counts as told. */
  feedback(): Promise<Feedback[]>
}

/** Rejects where nobody can say what is allowed: damaged files, a session's id that is none. */
export async function openJudge(root: string, options: JudgeOptions): Promise<CallJudge> {
  const { session } = options
  if (!isSessionId(session)) throw new EscrowError('path_escape', `"${session}" cannot be a session's id.`)
  const layout = layoutOf(physicalRoot(root))
  refuseLink(layout)
  return new ReadOnlyJudge(layout, root, options)
}

class ReadOnlyJudge implements CallJudge {
  readonly root: string
  readonly session: string
  readonly isHeld: boolean
  readonly #policy: Policy
  readonly #view: View
  readonly #store: StageStore
  readonly #questions: SessionQuestions
  readonly #reviews: readonly ReviewRecord[]
  readonly #intentId: string | undefined
  readonly #registry

  constructor(
    private readonly layout: Layout,
    given: string,
    private readonly options: JudgeOptions,
  ) {
    this.root = layout.root
    this.session = options.session
    const files = layout.session(options.session)
    this.isHeld = isOwned(files.owner)
    this.#registry = openRegistry(layout)
    this.#intentId = options.intent ?? (this.isHeld ? claimedBy(files.claim) : undefined) ?? this.#named()
    this.#store = readStage(layout, options.session)
    this.#reviews = existsSync(dirname(files.review)) ? openReviewLog(files.review, layout.locks).read() : []
    this.#questions = new SessionQuestions({
      ...{ store: this.#store, intent: () => this.#intentId, approver: undefined },
      answer: async () => undefined,
    })
    this.#questions.hear(this.#reviews)
    this.#policy = createPolicy({
      intents: () => this.#registry.state(),
      activeIntentId: () => this.#intentId,
      policy: openPolicyFile(layout),
      // What the model has read is known to the session's owner alone.
      base: () => 'fresh',
      answers: () => this.#questions.answers,
    })
    this.#view = viewOf(layout, given, this.#store, this.#policy)
  }

  get intent(): Intent | undefined {
    const state = this.#registry.state()
    if (!state.ok || this.#intentId === undefined || selectable(state, this.#intentId)) return undefined
    return state.intents.get(this.#intentId)
  }

  get gate(): GateSettings {
    return this.#policy.gate()
  }

  async intents(): Promise<Intent[]> {
    const state = this.#registry.state()
    return selectableIds(state).flatMap((id) => (state.ok ? (state.intents.get(id) ?? []) : []))
  }

  async judge(call: JudgedCall): Promise<Denial | undefined> {
    const denial = this.#refusal(call) ?? (await this.#commandDenial(call))
    if (denial) await this.refuse(denial, call)
    return denial
  }

  async refuse(denial: Denial, { tool, id }: Pick<JudgedCall, 'tool' | 'id'>): Promise<void> {
    const { reason, message, file, intentId = this.#intentId } = denial
    const draft = newDraft({
      ...{ type: 'denied', intent: intentId ?? null, session: this.session, agent: this.options.agent },
      ...{ reqId: id ?? null, reason, words: message, data: { tool_name: tool } },
      ...(file !== undefined && { path: file }),
    })
    // It is refused whether or not that can be written down: a session's mount has no ledger to write.
    await openLedger(this.layout)
      .append([draft])
      .catch(() => undefined)
  }

  async feedback(): Promise<Feedback[]> {
    if (this.isHeld || !this.#hasNews()) return []
    const workspace = await openWorkspace(this.root)
    try {
      const session = await workspace.session({ id: this.session })
      return await session.feedback()
    } finally {
      await workspace.close()
    }
  }

  #hasNews(): boolean {
    const told = new Set(this.#store.notes(TOLD))
    const rejections = rejectionsFor(this.#reviews)
    const said = [
      ...rejections.filter(isToTell),
      ...withdrawalsToTell(rejections, told),
      ...amendmentsFor(this.#reviews),
    ]
    return said.some((each) => !told.has(feedbackKey(each))) || this.#questions.hasUntold()
  }

  #refusal({ writes = [], reads = [], searches = [], needsIntent, declaresClass }: JudgedCall): Denial | undefined {
    const undeclared = writes.length > 0 && declaresClass !== true && this.gate.requireMutationClass
    return (
      (needsIntent === true ? this.#policy.withoutPath() : undefined) ??
      (undeclared ? missingMutationClass() : undefined) ??
      judgeWrites(this.#view, writes, () => undefined)?.denial ??
      firstOf([...reads, ...searches], (path) => this.#readDenial(path)) ??
      firstOf(searches, (path) => this.#searchDenial(path))
    )
  }

  #readDenial(path: string): Denial | undefined {
    try {
      this.#view.within(() => {
        const place = this.#view.at(path, 'follow')
        if (place.inside) this.#view.layer.judge('read', place.path)
        else this.#view.host(place)
      })
      return undefined
    } catch (error) {
      // What cannot be walked shows nothing either.
      return error instanceof Denied ? error.denial : undefined
    }
  }

  /** A search shows what it finds: of what is closed below there, too. */
  #searchDenial(path: string): Denial | undefined {
    const place = this.#view.within(() => this.#placeOf(path))
    if (!place?.inside || place.type !== 'dir') return undefined
    const mayRead = (file: RelPath) =>
      this.#policy.decide({ effect: 'read', path: file, asked: file }).verdict !== 'deny'
    const { overlay } = this.#store
    const closed = this.#policy.mayClose()
      ? closedByRules(overlay, mayRead)
      : new SecretNames((name) => secretName(name) !== undefined).find(overlay).filter((file) => !mayRead(file))
    if (!closed.some((file) => place.path === ROOT || isWithin(file, place.path))) return undefined
    return {
      reason: 'access_denied',
      message: `Access Denied: a search of ${path} would show files that are closed to agents.`,
      hint: 'Search a directory that holds none of them, or search by a contained command.',
      file: place.path === ROOT ? '.' : place.path,
    }
  }

  #placeOf(path: string) {
    try {
      return this.#view.at(path, 'follow')
    } catch {
      return undefined
    }
  }

  async #commandDenial({ command }: JudgedCall): Promise<Denial | undefined> {
    if (command === undefined) return undefined
    let denial: Denial | undefined
    const admission = new SessionAdmission(
      this.#policy,
      this.#questions,
      () => undefined,
      (found) => {
        denial = found
      },
    )
    try {
      await admission.admit(command, {}, '')
      return undefined
    } catch (error) {
      if (denial) return denial
      if (!(error instanceof EscrowError)) throw error
      const reason = error.reason === 'policy_invalid' ? error.reason : 'unsupported'
      return { reason, message: error.message }
    }
  }

  /** The registry's own, where it can be selected. */
  #named(): string | undefined {
    const state = this.#registry.state()
    const id = state.ok ? state.activeIntentId : undefined
    return id === undefined || selectable(state, id) ? undefined : id
  }
}

function firstOf<T>(items: readonly T[], judge: (item: T) => Denial | undefined): Denial | undefined {
  for (const item of items) {
    const denial = judge(item)
    if (denial) return denial
  }
  return undefined
}

/** The stage as its log has it, over the disk. Nothing is written through it: it only judges. */
function viewOf(layout: Layout, given: string, store: StageStore, policy: Policy): View {
  const { overlay } = store
  const resolver = new Resolver(overlay, [given])
  const rules = {
    decide: policy.decide,
    readsBy: (at: number) => policy.readsBy(at),
    mayHide: (dir: string) => policy.mayHide(dir),
    alikeBelow: (dir: string) => policy.alikeBelow(dir),
    standsOut: mayBeProtected,
    knownBelow: () => [],
  }
  const nothing = () => undefined
  return new View({
    ...{ root: layout.root, resolver, overlay, seen: nothing, seenStaged: nothing, opened: nothing, sync: nothing },
    layer: new GuardedLayer(overlay, rules, (target, link) => resolver.leadsTo(target, link)),
  })
}
