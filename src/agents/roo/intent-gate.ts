import { KNOWN_TOOLS, type ToolCatalogue } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { SerialQueue } from '../../surface/index.js'

/** A stored list of names: a setting of the host, or our own record next to it. */
export interface KeptNames {
  get(): readonly string[] | undefined
  set(names: string[] | undefined): PromiseLike<unknown> | undefined
}

/** Options of {@link IntentGate}. */
export interface IntentGateOptions {
  readonly catalogue: ToolCatalogue
  /** Roo's setting `disabledTools`: tools that are neither offered to the model nor run. */
  readonly disabledTools: KeptNames
  /** The names that the gate has added there. It must outlive the process, or after a crash they would count as the person's own. */
  readonly memory: KeptNames
}

/** The names that `disabledTools` accepts in Roo 3.52. Our tools are not among them. */
const ROO_TOOLS = new Set(
  `execute_command read_file read_command_output write_to_file apply_diff edit search_and_replace search_replace edit_file
  apply_patch search_files list_files use_mcp_tool access_mcp_resource ask_followup_question attempt_completion switch_mode
  new_task codebase_search update_todo_list run_slash_command skill generate_image custom_tool`.split(/\s+/),
)

/** Hides tools that need an intent from the model while none is selected. Tools that a person disabled stay disabled. */
export class IntentGate {
  readonly #options: IntentGateOptions
  readonly #queue = new SerialQueue()

  constructor(options: IntentGateOptions) {
    this.#options = options
  }

  /** Hides or shows tools by a session's intent; without a session it shows them. */
  sync(session?: Pick<Session, 'intent' | 'gate'>): Promise<void> {
    const wanted =
      session === undefined || session.intent !== undefined ? [] : this.#toolsThatNeedIntent(session.gate.tools)
    return this.#queue.run(() => this.#set(wanted))
  }

  async #set(wanted: readonly string[]): Promise<void> {
    const { disabledTools, memory } = this.#options
    const before = disabledTools.get() ?? []
    const ours = new Set(memory.get())
    const disabledByPerson = before.filter((name) => !ours.has(name))
    const added = wanted.filter((name) => !disabledByPerson.includes(name))
    const after = [...disabledByPerson, ...added]
    if (after.length === before.length && after.every((name) => before.includes(name))) return
    // After a crash between the two writes, our list has names that are not disabled, which does no harm. In the
    // reverse order they would stay disabled permanently.
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
