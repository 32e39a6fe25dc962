import { KNOWN_TOOLS, type ToolCatalogue } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { SerialQueue } from '../../surface/index.js'

/** A list of names that is kept: a setting of the host's, or a memory of ours beside it. */
export interface KeptNames {
  get(): readonly string[] | undefined
  set(names: string[] | undefined): PromiseLike<unknown> | undefined
}

/** What a gate hides tools by. */
export interface IntentGateOptions {
  readonly catalogue: ToolCatalogue
  /** Roo's setting `disabledTools`: what is named there is neither offered to the model nor run. */
  readonly disabledTools: KeptNames
  /** Which of those the gate has put there. It has to outlive the process, or a crash would leave them for the person's own. */
  readonly memory: KeptNames
}

/** Names `disabledTools` may hold, as Roo 3.52 reads it. Ours are not among them. */
const ROO_TOOLS = new Set(
  `execute_command read_file read_command_output write_to_file apply_diff edit search_and_replace search_replace edit_file
  apply_patch search_files list_files use_mcp_tool access_mcp_resource ask_followup_question attempt_completion switch_mode
  new_task codebase_search update_todo_list run_slash_command skill generate_image custom_tool`.split(/\s+/),
)

/** Without an intent a model is not even offered the tools that need one; what a person has disabled stays so. */
export class IntentGate {
  readonly #options: IntentGateOptions
  readonly #queue = new SerialQueue()

  constructor(options: IntentGateOptions) {
    this.#options = options
  }

  /** Closes or opens the gate as a session's intent wants it; without a session it is opened. */
  sync(session?: Pick<Session, 'intent' | 'gate'>): Promise<void> {
    const wanted =
      session === undefined || session.intent !== undefined ? [] : this.#toolsThatNeedIntent(session.gate.tools)
    return this.#queue.run(() => this.#set(wanted))
  }

  async #set(wanted: readonly string[]): Promise<void> {
    const { disabledTools, memory } = this.#options
    const before = disabledTools.get() ?? []
    const ours = new Set(memory.get())
    const persons = before.filter((name) => !ours.has(name))
    const added = wanted.filter((name) => !persons.includes(name))
    const after = [...persons, ...added]
    if (after.length === before.length && after.every((name) => before.includes(name))) return
    // Between the two a crash leaves names of ours that are not there: the other way round they would stay for good.
    await memory.set([...new Set([...ours, ...added])])
    await disabledTools.set(after)
    await memory.set(added)
  }

  #toolsThatNeedIntent(tools: 'destructive' | 'all'): string[] {
    const { catalogue } = this.#options
    return KNOWN_TOOLS.filter((name) => {
      const { class: of, free } = catalogue.of(name)
      if (!ROO_TOOLS.has(name) || free === true || name === 'custom_tool') return false
      return catalogue.classify(name) === 'DESTRUCTIVE' || (tools === 'all' && of === 'read')
    })
  }
}
