import { defined } from '../../core/defined.js'
import { type HookEngine, type HookResult, isAddedTool, type ToolCatalogue, withFeedback } from '../../hooks/index.js'
import type { Feedback, Session } from '../../index.js'
import { errorText } from '../../surface/index.js'
import { isCustomTool } from './custom-tools.js'
import type { LiveAnswer, LiveRepetition, LiveToolResult, LiveToolUse } from './live.js'
import { shellLost } from './live-limits.js'
import { LiveRefusal, refusalText } from './live-refusal.js'
import type { RooShell } from './shell.js'

export interface LiveCallsOptions {
  readonly engine: HookEngine
  readonly catalogue: ToolCatalogue
  readonly taskId: string
  readonly cwd: string
  /** The current model, by the host's name for it. */
  readonly model: () => string | undefined
  /** The task's session, once it is open. */
  readonly session: () => Session | undefined
  /** The contained shell of the host's terminal. */
  readonly shell: Pick<RooShell, 'problem' | 'ran'> | undefined
}

/** A tool call: begins with its repetition check, ends with the next check or the next model request. */
interface LiveCall {
  readonly id: string | undefined
  readonly tool: string
  /** The hooks' decision. Never rejects. */
  readonly verdict: Promise<HookResult>
  /** Refused before the hooks decide, because the tool does not wait for them. */
  readonly isStopped: boolean
  /** Replaces the tool's result for the model. */
  refused: string | undefined
  /** The host pushed an error as its result. */
  hasFailed: boolean
}

/** Kinds of ask that approve an action of a tool. The other kinds inform, or are the tool's own question. */
const APPROVALS = new Set(['tool', 'command', 'use_mcp_server', 'followup'])
/** The kinds of {@link APPROVALS} that occur only within a checked call. */
const WITHIN_CALL = new Set(['tool', 'command'])

/**
 * The tool calls of a live task. The host's repetition check starts a call synchronously, and the host's request for approval waits for
 * the hooks' decision. A call lasts until the next check or the next model request: a tool may ask and write several times, and may
 * continue after it pushed a result. The host's own approval only lets a tool run; it approves no change.
 */
export class LiveCalls {
  readonly #options: LiveCallsOptions
  #call: LiveCall | undefined
  #ended: Promise<unknown> = Promise.resolve()
  #words: Feedback[] = []

  constructor(options: LiveCallsOptions) {
    this.#options = options
  }

  check(block: LiveToolUse, found: LiveRepetition): LiveRepetition {
    this.#finish()
    if (!found.allowExecution || isJudgedLater(block.name)) return found
    const isStopped = this.#mustRefuseNow(block)
    const verdict = this.#judge(block)
    this.#call = { id: block.id, tool: block.name, verdict, isStopped, refused: undefined, hasFailed: false }
    if (!isStopped) return found
    return { allowExecution: false, askUser: { messageKey: 'mistake_limit_reached', messageDetail: block.name } }
  }

  /** Our answer to an ask; undefined if the host must ask. */
  async answer(type: string, partial: boolean | undefined): Promise<LiveAnswer | undefined> {
    if (partial === true) return undefined
    const call = this.#call
    if (!call)
      return WITHIN_CALL.has(type) ? { response: 'noButtonClicked', text: refusalText(type, NO_CALL) } : undefined
    if (!(APPROVALS.has(type) || call.isStopped)) return undefined
    const result = await call.verdict
    if (result.allow && !call.isStopped) return undefined
    call.refused = refusalText(call.tool, result)
    return { response: 'noButtonClicked', text: call.refused }
  }

  /** Called after the host approved a call. Checks that its command would still run contained. */
  async afterApproval(type: string, answer: LiveAnswer): Promise<LiveAnswer> {
    const call = this.#call
    const { shell } = this.#options
    if (!shell || type !== 'command' || call?.tool !== 'execute_command') return answer
    const why = await shell.problem().catch(errorText)
    if (why === undefined) return answer
    call.refused = shellLost(why)
    return { response: 'noButtonClicked', text: call.refused }
  }

  /** Resolves if the current call may write. Rejects with its refusal, or if there is no current call. */
  async assertAdmitted(): Promise<void> {
    const call = this.#call
    if (!call) throw new LiveRefusal(refusalText('write', NO_CALL))
    const result = await call.verdict
    if (result.allow && !call.isStopped && call.refused === undefined) return
    call.refused ??= refusalText(call.tool, result)
    throw new LiveRefusal(call.refused)
  }

  /** Handles a result that goes to the model. The tool may continue afterwards. */
  beforeResult(result: LiveToolResult): void {
    const call = this.#call
    if (call && isOf(result, call)) {
      const session = this.#options.session()
      if (session && call.tool === 'execute_command') this.#options.shell?.ran(session)
      if (call.refused !== undefined) Object.assign(result, { content: call.refused, is_error: true })
      call.hasFailed ||= result.is_error === true
    }
    if (typeof result.content === 'string' && this.#words.length > 0)
      result.content = withFeedback(result.content, this.#words.splice(0))
  }

  /** Ends the current call. */
  async end(): Promise<void> {
    this.#finish()
    await this.#ended
  }

  /** Reviewers' feedback that no result has delivered yet. */
  undeliveredFeedback(): string {
    return withFeedback('', this.#words.splice(0))
  }

  #finish(): void {
    const call = this.#call
    this.#call = undefined
    if (!call) return
    const before = this.#ended
    this.#ended = Promise.all([call.verdict, before])
      .then(([verdict]) => this.#end(verdict, call.hasFailed))
      .catch(() => undefined)
  }

  async #judge({ name, params, nativeArgs }: LiveToolUse): Promise<HookResult> {
    const { engine, taskId, cwd, model } = this.#options
    await this.#ended
    const modelId = model()
    const input = {
      taskId,
      cwd,
      toolName: name,
      params: { ...params, ...nativeArgs },
      ...defined({ modelId }),
    }
    try {
      return await engine.runPreHook(input, 'record')
    } catch (error) {
      return { allow: false, message: errorText(error), feedback: [] }
    }
  }

  /**
   * The immediate refusal of a call, if one is certain before the hooks decide. A tool that the host does not know asks for no approval
   * before it runs, so the hooks' decision would come too late.
   */
  #mustRefuseNow({ name, params, nativeArgs }: LiveToolUse): boolean {
    const { catalogue, session: current } = this.#options
    const session = current()
    if (!session) return true
    const { class: of, free, writes } = catalogue.of(name)
    const { tools, modal } = session.gate
    if (of === 'unknown' && modal === 'all') return true
    if (session.intent !== undefined || free === true) return false
    const isDestructive = catalogue.classify(name) === 'DESTRUCTIVE'
    return tools === 'all' || (isDestructive && writes({ ...params, ...nativeArgs }).length === 0)
  }

  async #end(verdict: HookResult, hasFailed: boolean): Promise<void> {
    if (!verdict.allow) return
    const { engine, taskId } = this.#options
    const ended = await engine.runPostHook({ taskId }, hasFailed ? new Error('The tool failed.') : undefined)
    this.#words.push(...ended.feedback)
  }
}

/** A tool that acts when no call is under way was not judged. */
const NO_CALL: HookResult = { allow: false, message: 'No tool call is running, so nothing was checked.', feedback: [] }

/** Tools that are judged when they run: our own tools and MCP tools. */
function isJudgedLater(tool: string): boolean {
  return isAddedTool(tool) || isCustomTool(tool) || tool === 'use_mcp_tool'
}

/** Whether a result belongs to a call. The host replaces characters that the model's API does not accept in an id. */
function isOf(result: LiveToolResult, { id }: LiveCall): boolean {
  return id === undefined || result.tool_use_id === id || result.tool_use_id === id.replace(/[^\w-]/g, '_')
}
