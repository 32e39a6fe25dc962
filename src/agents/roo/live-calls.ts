import { resolve } from 'node:path'
import { type HookEngine, type HookResult, isAddedTool, type ToolCatalogue, withFeedback } from '../../hooks/index.js'
import type { Feedback, Session } from '../../index.js'
import { isCustomTool } from './custom-tools.js'
import type { LiveAnswer, LiveRepetition, LiveToolResult, LiveToolUse } from './live.js'
import { lostShell } from './live-limits.js'
import { LiveRefusal, recordOf } from './live-refusal.js'
import type { RooShell } from './shell.js'

export interface LiveCallsOptions {
  readonly engine: HookEngine
  readonly catalogue: ToolCatalogue
  readonly taskId: string
  readonly cwd: string
  /** The task's session, once it is open. */
  readonly session: () => Session | undefined
  /** The host's reading does not go through the session. */
  readonly readsItself: boolean
  /** Contains what the host's terminal runs. */
  readonly shell: Pick<RooShell, 'missing' | 'ran'> | undefined
}

/** A tool call between its repetition check and its result. */
interface LiveCall {
  readonly id: string | undefined
  readonly tool: string
  /** Files whose content it shows to the model. */
  readonly reads: readonly string[]
  /** What the hooks say. Never rejects. */
  readonly verdict: Promise<HookResult>
  /** Refused at once, before the hooks have spoken: the tool would not have waited for them. */
  readonly isStopped: boolean
  /** The model is told this in the place of the tool's result. */
  refused: string | undefined
}

/** The asks that stand before what a tool does. Others tell, or ask what the tool is there to ask. */
const APPROVALS = new Set(['tool', 'command', 'use_mcp_server', 'followup'])

/**
 * The tool calls of a live task. The check of repetitions tells when one begins, at once; what the hooks say is waited for in
 * the host's ask for approval. An approval of the host's lets a tool run and nothing more.
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
    if (!found.allowExecution || judgesItself(block.name)) return found
    const { id, name: tool, params, nativeArgs } = block
    const isStopped = this.#mustStop(block)
    const reads = this.#options.catalogue.of(tool).reads({ ...params, ...nativeArgs })
    this.#call = { id, tool, reads, verdict: this.#judge(block), isStopped, refused: undefined }
    if (!isStopped) return found
    return { allowExecution: false, askUser: { messageKey: 'mistake_limit_reached', messageDetail: block.name } }
  }

  /** The answer in the host's place; undefined where the host is to be asked. */
  async answer(type: string, partial: boolean | undefined): Promise<LiveAnswer | undefined> {
    const call = this.#call
    if (partial === true || !call || !(APPROVALS.has(type) || call.isStopped)) return undefined
    const result = await call.verdict
    if (result.allow && !call.isStopped) return undefined
    call.refused = recordOf(call.tool, result)
    return { response: 'noButtonClicked', text: call.refused }
  }

  /** The host's own asking has let a call through: what contains its command may have been taken away meanwhile. */
  async approved(type: string, answer: LiveAnswer): Promise<LiveAnswer> {
    const call = this.#call
    const { shell } = this.#options
    if (!shell || type !== 'command' || call?.tool !== 'execute_command') return answer
    const why = await shell.missing().catch(messageOf)
    if (why === undefined) return answer
    call.refused = lostShell(why)
    return { response: 'noButtonClicked', text: call.refused }
  }

  /** Resolves where the call under way may write; rejects with its refusal. */
  async admitted(): Promise<void> {
    const call = this.#call
    const result = await call?.verdict
    if (!call || (result?.allow === true && !call.isStopped)) return
    call.refused = recordOf(call.tool, result)
    throw new LiveRefusal(call.refused)
  }

  /** The result of a call is on its way to the model: the call is over. */
  pushing(result: LiveToolResult): void {
    const call = this.#call
    if (call && isOf(result, call)) {
      this.#call = undefined
      const session = this.#options.session()
      if (session && call.tool === 'execute_command') this.#options.shell?.ran(session)
      if (call.refused !== undefined) Object.assign(result, { content: call.refused, is_error: true })
      const end = call.verdict.then((verdict) => this.#end(call, verdict, result.is_error === true))
      this.#ended = end.catch(() => undefined)
    }
    if (typeof result.content === 'string' && this.#words.length > 0)
      result.content = withFeedback(result.content, this.#words.splice(0))
  }

  /** Waits for what ends with a call; then what reviewers said and no result has carried yet. */
  async words(): Promise<string> {
    await this.#ended
    return withFeedback('', this.#words.splice(0))
  }

  async #judge({ name, params, nativeArgs }: LiveToolUse): Promise<HookResult> {
    const { engine, taskId, cwd } = this.#options
    await this.#ended
    try {
      return await engine.runPreHook({ taskId, cwd, toolName: name, params: { ...params, ...nativeArgs } }, 'record')
    } catch (error) {
      return { allow: false, message: messageOf(error), feedback: [] }
    }
  }

  /**
   * Whether a call is refused whatever the hooks say, as far as that can be told at once. A tool the host knows nothing of asks
   * nobody before it runs, so nobody could be waited for either.
   */
  #mustStop({ name, params, nativeArgs }: LiveToolUse): boolean {
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

  async #end({ reads }: LiveCall, verdict: HookResult, isError: boolean): Promise<void> {
    const { engine, taskId, readsItself } = this.#options
    if (readsItself && verdict.allow && !isError) await this.#note(reads)
    const failed = isError && verdict.allow ? new Error('The tool failed.') : undefined
    const ended = verdict.allow ? await engine.runPostHook({ taskId }, failed).catch(() => undefined) : undefined
    this.#words.push(...(ended?.feedback ?? []))
  }

  /** What the host has shown by reading the disk itself is read once more, in the call: so the session knows of it. */
  async #note(reads: readonly string[]): Promise<void> {
    const { session, cwd } = this.#options
    for (const path of reads)
      await session()
        ?.fs.promises.readFile(resolve(cwd, path))
        .catch(() => undefined)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Judged where it runs: tools of ours, and MCP tools. */
function judgesItself(tool: string): boolean {
  return isAddedTool(tool) || isCustomTool(tool) || tool === 'use_mcp_tool'
}

/** Ids go to the model with the characters its API takes. */
function isOf(result: LiveToolResult, { id }: LiveCall): boolean {
  return id === undefined || result.tool_use_id === id || result.tool_use_id === id.replace(/[^\w-]/g, '_')
}
