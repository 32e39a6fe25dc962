import type { Feedback, GatedCall, Session, ToolCall } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { Denial, ToolError } from '../core/denials.js'
import { isMutationClass } from '../core/mutation.js'
import { DEFAULT, type ToolArguments, type ToolCatalogue } from './catalogue.js'
import { denialRecord } from './denial-record.js'

/** One tool call as the model made it. */
export interface ToolUse {
  readonly id?: string | undefined
  readonly name: string
  readonly args: ToolArguments
}

/** The outcome of a tool call, with the feedback for the model. */
export type ToolOutcome<T> = { readonly feedback: readonly Feedback[] } & (
  | { readonly status: 'done'; readonly value: T }
  | { readonly status: 'denied'; readonly denial: ToolError; readonly error: unknown }
  | { readonly status: 'failed'; readonly error: unknown }
)

/** Options for running a tool. */
export interface RunOptions extends Pick<ToolCall, 'host' | 'ambient'> {
  readonly catalogue?: ToolCatalogue | undefined
  /** Additional checks after policy, see {@link ToolCall.gate}. */
  readonly gate?: ((asked: GatedCall) => Promise<Denial | undefined>) | undefined
}

/**
 * Runs a tool's work as a call of the session. All its paths are checked, and people asked, before its first write. Never rejects. The
 * outcome carries reviewers' feedback, so that a model gets it without asking.
 */
export async function runTool<T>(
  session: Session,
  use: ToolUse,
  work: () => Promise<T> | T,
  options: RunOptions = {},
): Promise<ToolOutcome<T>> {
  let outcome: WithoutFeedback<T>
  try {
    outcome = { status: 'done', value: await session.toolCall(callOf(session, use, options), work) }
  } catch (error) {
    outcome = toFailure(use.name, error)
  }
  return { ...outcome, feedback: await feedbackOf(session) }
}

type WithoutFeedback<T> = ToolOutcome<T> extends infer O ? (O extends unknown ? Omit<O, 'feedback'> : never) : never

/** The session's description of a call. */
function callOf(session: Session, { id, name, args }: ToolUse, options: RunOptions): ToolCall {
  const { host, gate, ambient, catalogue = DEFAULT } = options
  const entry = catalogue.of(name)
  const writes = entry.writes(args)
  const reads = entry.reads(args)
  const { mutation_class: declared } = args
  const isBlockedWithoutIntent = session.gate.tools === 'all' && entry.free !== true
  const needsIntent = isBlockedWithoutIntent || (writes.length === 0 && catalogue.classify(name) === 'DESTRUCTIVE')
  return {
    tool: name,
    kind: entry.kind,
    ...defined({ id, host, why: reasonIn(args) }),
    ...(isMutationClass(declared) && { declares: declared }),
    ...(writes.length > 0 && { writes }),
    ...(reads.length > 0 && { reads }),
    ...(needsIntent && { needsIntent }),
    ...(gate && { gate }),
    ...(ambient === true && { ambient }),
  }
}

/** Arguments in which an agent gives its reason: Claude Code's `description` of a command, Cursor's `explanation`. */
const REASONS = ['reason', 'explanation', 'description']

function reasonIn(args: ToolUse['args']): string | undefined {
  for (const name of REASONS) {
    const value = args[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

function toFailure(tool: string, error: unknown) {
  const denial = denialRecord(tool, error)
  return denial === undefined ? ({ status: 'failed', error } as const) : ({ status: 'denied', denial, error } as const)
}

/** Reviewers' feedback since the last call; empty for a closed session. */
export async function feedbackOf(session: Session): Promise<Feedback[]> {
  try {
    return await session.feedback()
  } catch {
    return []
  }
}

/** A call whose tool the host runs itself. */
export interface OpenTool {
  /** Ends the call. @param error the tool's error, if it failed */
  end(error?: unknown): Promise<ToolOutcome<void>>
}

/** Begins a call, or returns the outcome of a refused one. */
export async function beginTool(
  session: Session,
  use: ToolUse,
  options: RunOptions,
): Promise<{ readonly open: OpenTool } | { readonly refused: ToolOutcome<void> }> {
  let finish = (_error: unknown): void => {}
  let onBegin = (): void => {}
  const started = new Promise<undefined>((resolve) => {
    onBegin = () => resolve(undefined)
  })
  const work = () =>
    new Promise<void>((done, fail) => {
      finish = (error) => (error === undefined ? done() : fail(error))
      onBegin()
    })
  const finished = runTool(session, use, work, { ...options, ambient: true })
  const refused = await Promise.race([started, finished])
  if (refused) return { refused }
  return {
    open: {
      end(error) {
        finish(error)
        return finished
      },
    },
  }
}
