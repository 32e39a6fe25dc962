import { isWithin, type RelPath, ROOT } from '../../overlay/index.js'
import { isInMount, physicalRoot } from '../access/index.js'
import type { Explanation, Feedback, GateSettings, Intent } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Classified } from '../core/command-class.js'
import { defined } from '../core/defined.js'
import { type Denial, Denied } from '../core/denials.js'
import { isSessionId } from '../core/ids.js'
import { selectable, selectableIds } from '../core/intents-state.js'
import { judgeWrites } from '../fs/index.js'
import { DELIVERED_NOTE, isNews, ownerSocketOf, undeliveredFeedback } from '../inbox/index.js'
import { lookAt } from '../os/read.js'
import { hasOrchestration } from '../os/shared-files.js'
import { layoutAt } from '../os/workspace-state.js'
import { missingMutationClass, type Policy, secretName } from '../policy/index.js'
import { relativeTo } from '../session/index.js'
import { closedByRules } from '../stage/index.js'
import { FEEDBACK_AT, SecretNames, spoolDenial } from '../terminal/index.js'
import { newDraft } from '../trace/index.js'
import type { CallJudge, JudgedCall } from './call-judge.js'
import {
  JudgedSession,
  type JudgeOptions,
  type JudgeSources,
  openSources,
  type SessionReading,
} from './judged-session.js'

/**
 * Opens a judge for one tool call.
 * @param root the workspace's directory
 * @throws EscrowError `path_escape` for a malformed session id; `access_denied` for an unreadable root; `ledger_unavailable`
 * or `ledger_corrupt` for a session that cannot be read
 */
export async function openJudge(root: string, options: JudgeOptions): Promise<CallJudge> {
  return openJudges(root)(options)
}

/**
 * Opens judges for a process that answers many calls. Parsed files are cached between calls; each call checks their
 * stats, so a judge always uses the files that a person saved last.
 * @param requestedRoot the workspace's directory
 * @returns a function that opens a judge for one call, as {@link openJudge} does
 */
export function openJudges(requestedRoot: string): (options: JudgeOptions) => Promise<CallJudge> {
  let sources: JudgeSources | undefined
  const cache = new Map<string, JudgedSession>()
  return async (options) => {
    if (!isSessionId(options.session))
      throw new EscrowError('path_escape', `"${options.session}" is not a valid session id.`)
    const layout = layoutAt(physicalRoot(requestedRoot))
    hasOrchestration(layout)
    if (sources?.layout.root !== layout.root || sources.layout.state !== layout.state) {
      sources = openSources(layout, requestedRoot)
      cache.clear()
    }
    const key = JSON.stringify([options.session, options.intent])
    const session = cache.get(key) ?? new JudgedSession(sources, options)
    // Least recently used first.
    cache.delete(key)
    cache.set(key, session)
    const [oldest] = cache.size > MAX_SESSIONS ? cache.keys() : []
    if (oldest !== undefined) cache.delete(oldest)
    return new ReadOnlyJudge(sources, session, session.read(), options)
  }
}

/** How many sessions are cached; each holds a stage in memory. */
const MAX_SESSIONS = 8

export class ReadOnlyJudge implements CallJudge {
  readonly root: string
  readonly session: string
  readonly isHeld: boolean
  readonly #policy: Policy
  readonly #socket: string | undefined

  constructor(
    private readonly sources: JudgeSources,
    judged: Pick<JudgedSession, 'policy'>,
    private readonly reading: SessionReading,
    private readonly options: JudgeOptions,
    private readonly classify?: (command: string | readonly string[]) => Promise<Classified>,
  ) {
    this.root = sources.layout.root
    this.session = options.session
    this.#socket = reading.isHeld ? ownerSocketOf(this.root, this.session) : undefined
    this.isHeld = reading.isHeld && this.#socket === undefined
    this.#policy = judged.policy
  }

  get intent(): Intent | undefined {
    const state = this.sources.registry.state()
    if (!state.ok || this.reading.intentId === undefined || selectable(state, this.reading.intentId)) return undefined
    return state.intents.get(this.reading.intentId)
  }

  get gate(): GateSettings {
    return this.#policy.gate()
  }

  async intents(): Promise<Intent[]> {
    const state = this.sources.registry.state()
    return selectableIds(state).flatMap((id) => (state.ok ? (state.intents.get(id) ?? []) : []))
  }

  explain(path: string, op: 'read' | 'write' | 'remove'): Explanation {
    const name = relativeTo(this.root, path)
    const place = this.reading.view.within(() => this.#resolve(name.startsWith('/') ? name : `${this.root}/${name}`))
    const effect = op === 'write' ? 'put' : op
    return this.#policy.explain({ effect, path: place?.path ?? name, asked: name })
  }

  async judge(call: JudgedCall): Promise<Denial | undefined> {
    const denial = this.#accessDenial(call) ?? (await this.#commandDenial(call))
    if (denial) await this.refuse(denial, call)
    return denial
  }

  async refuse(denial: Denial, { tool, id }: Pick<JudgedCall, 'tool' | 'id'>): Promise<void> {
    const { reason, message, file, intentId = this.reading.intentId } = denial
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
    // The call is refused either way. Inside of a session's mount the ledger is read-only: the owner reads the spool.
    await this.sources.ledger.append([draft]).catch(() => spoolDenial({ ...denial, ...defined({ intentId }), tool }))
  }

  async feedback(): Promise<Feedback[]> {
    if (isInMount(this.sources.requestedRoot)) {
      if (lookAt(FEEDBACK_AT)?.size === 0) return []
      const { takeFeedbackInMount } = await import('../inbox/mount-feedback.js')
      return takeFeedbackInMount()
    }
    if (this.isHeld || !this.#hasFeedback()) return []
    if (this.#socket !== undefined) {
      const { requestFeedback } = await import('../inbox/ask-owner.js')
      return requestFeedback(this.#socket)
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
    if (this.#socket === undefined || agent?.model === undefined) return
    const { tool, model } = agentOf(this.reading.store.overlay.stage.agents.at(-1))
    if (tool === agent.tool && model === agent.model) return
    const { reportAgent } = await import('../inbox/ask-owner.js')
    await reportAgent(this.#socket, agent).catch(() => undefined)
  }

  isNews(conversation: string, text: string): boolean {
    return isNews(this.root, `${this.session}\n${conversation}`, text)
  }

  #hasFeedback(): boolean {
    const { reviews, store, questions } = this.reading
    return (
      undeliveredFeedback(reviews, new Set(store.queued(DELIVERED_NOTE))).length > 0 ||
      questions.undeliveredAnswers().length > 0
    )
  }

  #accessDenial({
    writes = [],
    reads = [],
    searches = [],
    needsIntent,
    declaresClass,
  }: JudgedCall): Denial | undefined {
    const changes = writes.some(({ effect }) => effect !== 'mkdir')
    const isUndeclared = changes && declaresClass !== true && this.gate.requireMutationClass
    return (
      (needsIntent === true ? this.#policy.denialWithoutPath() : undefined) ??
      (isUndeclared ? missingMutationClass() : undefined) ??
      judgeWrites(this.reading.view, writes, () => undefined)?.denial ??
      firstDenial([...reads, ...searches], (path) => this.#readDenial(path)) ??
      firstDenial(searches, (path) => this.#searchDenial(path))
    )
  }

  #readDenial(path: string): Denial | undefined {
    try {
      const view = this.reading.view
      view.within(() => {
        const place = view.at(path, 'follow')
        if (place.inside) view.layer.judge('read', place.path)
        else view.host(place)
      })
      return undefined
    } catch (error) {
      // A path that cannot be resolved cannot be read either.
      return error instanceof Denied ? error.denial : undefined
    }
  }

  /** A search prints matching lines, so a directory with files that agents may not read is refused. */
  #searchDenial(path: string): Denial | undefined {
    const place = this.reading.view.within(() => this.#resolve(path))
    if (!place?.inside || place.type !== 'dir') return undefined
    const mayRead = (file: RelPath) =>
      this.#policy.decide({ effect: 'read', path: file, asked: file }).verdict !== 'deny'
    const { overlay } = this.reading.store
    const closedFiles = this.#policy.mayClose()
      ? closedByRules(overlay, mayRead)
      : new SecretNames((name) => secretName(name) !== undefined).find(overlay).filter((file) => !mayRead(file))
    if (!closedFiles.some((file) => place.path === ROOT || isWithin(file, place.path))) return undefined
    return {
      reason: 'access_denied',
      message: `Access Denied: a search of ${path} would also read files that are closed to agents.`,
      hint: 'Search a directory without such files, or search with a contained command.',
      file: place.path === ROOT ? '.' : place.path,
    }
  }

  #resolve(path: string) {
    try {
      return this.reading.view.at(path, 'follow')
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
      this.reading.questions,
      () => undefined,
      (found) => {
        denial = found
      },
      this.classify,
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

/** An agent as the stage's log has it. */
function agentOf(record: unknown): { readonly tool?: unknown; readonly model?: unknown } {
  return typeof record === 'object' && record !== null ? record : {}
}

function firstDenial<T>(items: readonly T[], judge: (item: T) => Denial | undefined): Denial | undefined {
  for (const item of items) {
    const denial = judge(item)
    if (denial) return denial
  }
  return undefined
}
