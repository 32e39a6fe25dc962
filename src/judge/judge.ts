import { isWithin, type RelPath, ROOT } from '../../overlay/index.js'
import { isInMount, physicalRoot } from '../access/index.js'
import type { Explanation, Feedback, GateSettings, Intent, PlannedWrite, Session } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { type Denial, Denied } from '../core/denials.js'
import { isSessionId } from '../core/ids.js'
import { selectable, selectableIds } from '../core/intents-state.js'
import { judgeWrites } from '../fs/index.js'
import { lookAt } from '../host/read.js'
import { hasOrchestration } from '../host/shared-files.js'
import { layoutAt } from '../host/workspace-state.js'
import { DELIVERED, isNews, ownerSocketOf, undeliveredWords } from '../inbox/index.js'
import { missingMutationClass, type Policy, secretName } from '../policy/index.js'
import { relativeTo } from '../session/index.js'
import { closedByRules } from '../stage/index.js'
import { SecretNames, spoolDenial, WORDS_AT } from '../terminal/index.js'
import { newDraft } from '../trace/index.js'
import { type JudgedLook, JudgedSession, type JudgeOptions, type JudgeSources, sourcesOf } from './judged-session.js'

export type { JudgeOptions } from './judged-session.js'

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
  /** A living process holds the session, and lets no `escrow-sh` in. */
  readonly isHeld: boolean
  /** What each rule says of an access, links followed. Nothing is recorded. @param path relative to the root, or absolute. */
  explain(path: string, op: 'read' | 'write' | 'remove'): Explanation
  /** The first denial. */
  judge(call: JudgedCall): Promise<Denial | undefined>
  /** Records a denial that is its caller's own. */
  refuse(denial: Denial, call: Pick<JudgedCall, 'tool' | 'id'>): Promise<void>
  /** What reviewers said and the agent has not heard, if the session is at rest or its owner answers. It counts as told. */
  feedback(): Promise<Feedback[]>
  /** Tells the session's owner which model works, where that is known to the caller and not yet to the owner. Never rejects. */
  introduceAgent(): Promise<void>
  /** Whether a text differs from the one that this conversation of a client's was told last. It counts as told. */
  isNews(conversation: string, text: string): boolean
}

/** Rejects where nobody can say what is allowed: damaged files, a session's id that is none. */
export async function openJudge(root: string, options: JudgeOptions): Promise<CallJudge> {
  return openJudges(root)(options)
}

/**
 * Judges for a process that answers many calls. What was read and understood is kept for the next call as long as the files are
 * the same; whether they are is looked up for each, so a judge goes by what a person has saved last.
 */
export function openJudges(given: string): (options: JudgeOptions) => Promise<CallJudge> {
  let sources: JudgeSources | undefined
  const kept = new Map<string, JudgedSession>()
  return async (options) => {
    if (!isSessionId(options.session))
      throw new EscrowError('path_escape', `"${options.session}" cannot be a session's id.`)
    const layout = layoutAt(physicalRoot(given))
    hasOrchestration(layout)
    if (sources?.layout.root !== layout.root || sources.layout.state !== layout.state) {
      sources = sourcesOf(layout, given)
      kept.clear()
    }
    const key = JSON.stringify([options.session, options.intent])
    const session = kept.get(key) ?? new JudgedSession(sources, options)
    // The one asked for last is the last to go.
    kept.delete(key)
    kept.set(key, session)
    const [oldest] = kept.size > MOST ? kept.keys() : []
    if (oldest !== undefined) kept.delete(oldest)
    return new ReadOnlyJudge(sources, session, session.look(), options)
  }
}

/** Sessions that are kept: each holds a stage in memory. */
const MOST = 8

class ReadOnlyJudge implements CallJudge {
  readonly root: string
  readonly session: string
  readonly isHeld: boolean
  readonly #policy: Policy
  readonly #door: string | undefined

  constructor(
    private readonly sources: JudgeSources,
    judged: JudgedSession,
    private readonly seen: JudgedLook,
    private readonly options: JudgeOptions,
  ) {
    this.root = sources.layout.root
    this.session = options.session
    this.#door = seen.isHeld ? ownerSocketOf(this.root, this.session) : undefined
    this.isHeld = seen.isHeld && this.#door === undefined
    this.#policy = judged.policy
  }

  get intent(): Intent | undefined {
    const state = this.sources.registry.state()
    if (!state.ok || this.seen.intentId === undefined || selectable(state, this.seen.intentId)) return undefined
    return state.intents.get(this.seen.intentId)
  }

  get gate(): GateSettings {
    return this.#policy.gate()
  }

  async intents(): Promise<Intent[]> {
    const state = this.sources.registry.state()
    return selectableIds(state).flatMap((id) => (state.ok ? (state.intents.get(id) ?? []) : []))
  }

  explain(path: string, op: 'read' | 'write' | 'remove'): Explanation {
    const asked = relativeTo(this.root, path)
    const place = this.seen.view.within(() => this.#placeOf(asked.startsWith('/') ? asked : `${this.root}/${asked}`))
    const effect = op === 'write' ? 'put' : op
    return this.#policy.explain({ effect, path: place?.path ?? asked, asked })
  }

  async judge(call: JudgedCall): Promise<Denial | undefined> {
    const denial = this.#refusal(call) ?? (await this.#commandDenial(call))
    if (denial) await this.refuse(denial, call)
    return denial
  }

  async refuse(denial: Denial, { tool, id }: Pick<JudgedCall, 'tool' | 'id'>): Promise<void> {
    const { reason, message, file, intentId = this.seen.intentId } = denial
    const draft = newDraft({
      type: 'denied',
      intent: intentId ?? null,
      session: this.session,
      agent: this.options.agent,
      reqId: id ?? null,
      reason,
      words: message,
      data: { tool_name: tool },
      ...defined({ path: file }),
    })
    // It is refused whether or not that can be written down: in a session's mount it is told to who can.
    await this.sources.ledger.append([draft]).catch(() => spoolDenial({ ...denial, ...defined({ intentId }), tool }))
  }

  async feedback(): Promise<Feedback[]> {
    if (isInMount(this.sources.given)) {
      if (lookAt(WORDS_AT)?.size === 0) return []
      const { takeWordsInMount } = await import('../inbox/mount-words.js')
      return takeWordsInMount()
    }
    if (this.isHeld || !this.#hasNews()) return []
    if (this.#door !== undefined) {
      const { feedbackAt } = await import('../inbox/ask-owner.js')
      return feedbackAt(this.#door)
    }
    const { openWorkspace } = await import('../workspace/index.js')
    const workspace = await openWorkspace(this.root)
    try {
      const session = await workspace.session({ id: this.session })
      return await session.feedback()
    } finally {
      await workspace.close()
    }
  }

  async introduceAgent(): Promise<void> {
    const { agent } = this.options
    if (this.#door === undefined || agent?.model === undefined) return
    const { tool, model } = agentOf(this.seen.store.overlay.stage.agents.at(-1))
    if (tool === agent.tool && model === agent.model) return
    const { attributeAt } = await import('../inbox/ask-owner.js')
    await attributeAt(this.#door, agent).catch(() => undefined)
  }

  isNews(conversation: string, text: string): boolean {
    return isNews(this.root, `${this.session}\n${conversation}`, text)
  }

  #hasNews(): boolean {
    const { reviews, store, questions } = this.seen
    return (
      undeliveredWords(reviews, new Set(store.queued(DELIVERED))).length > 0 ||
      questions.undeliveredAnswers().length > 0
    )
  }

  #refusal({ writes = [], reads = [], searches = [], needsIntent, declaresClass }: JudgedCall): Denial | undefined {
    const changes = writes.some(({ effect }) => effect !== 'mkdir')
    const undeclared = changes && declaresClass !== true && this.gate.requireMutationClass
    return (
      (needsIntent === true ? this.#policy.withoutPath() : undefined) ??
      (undeclared ? missingMutationClass() : undefined) ??
      judgeWrites(this.seen.view, writes, () => undefined)?.denial ??
      firstOf([...reads, ...searches], (path) => this.#readDenial(path)) ??
      firstOf(searches, (path) => this.#searchDenial(path))
    )
  }

  #readDenial(path: string): Denial | undefined {
    try {
      const view = this.seen.view
      view.within(() => {
        const place = view.at(path, 'follow')
        if (place.inside) view.layer.judge('read', place.path)
        else view.host(place)
      })
      return undefined
    } catch (error) {
      // What cannot be walked shows nothing either.
      return error instanceof Denied ? error.denial : undefined
    }
  }

  /** A search shows what it finds: of what is closed below there, too. */
  #searchDenial(path: string): Denial | undefined {
    const place = this.seen.view.within(() => this.#placeOf(path))
    if (!place?.inside || place.type !== 'dir') return undefined
    const mayRead = (file: RelPath) =>
      this.#policy.decide({ effect: 'read', path: file, asked: file }).verdict !== 'deny'
    const { overlay } = this.seen.store
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
      return this.seen.view.at(path, 'follow')
    } catch {
      return undefined
    }
  }

  async #commandDenial({ command }: JudgedCall): Promise<Denial | undefined> {
    if (command === undefined) return undefined
    let denial: Denial | undefined
    const { SessionAdmission } = await import('../exec/admission.js')
    const admission = new SessionAdmission(
      this.#policy,
      this.seen.questions,
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
}

/** An agent as the stage's log names it. */
function agentOf(named: unknown): { readonly tool?: unknown; readonly model?: unknown } {
  return typeof named === 'object' && named !== null ? named : {}
}

function firstOf<T>(items: readonly T[], judge: (item: T) => Denial | undefined): Denial | undefined {
  for (const item of items) {
    const denial = judge(item)
    if (denial) return denial
  }
  return undefined
}
