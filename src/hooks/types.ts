import type { Feedback, Session } from '../core/api.js'
import type { Denial, ToolError } from '../core/denials.js'
import type { ToolArguments, ToolClassification } from './catalogue.js'

/** A tool call as a host describes it. */
export interface HookContext {
  /** The conversation. Its session has the same id. */
  readonly taskId: string
  readonly activeIntentId: string | undefined
  readonly mode?: string
  readonly modelId?: string
  readonly toolName: string
  readonly params: ToolArguments
  /** The workspace's root. */
  readonly cwd: string
  /** ISO 8601. */
  readonly timestamp: string
}

/** The required fields of a tool call. The engine fills in the others. */
export type HookInput = Pick<HookContext, 'taskId' | 'toolName' | 'params' | 'cwd'> & Partial<HookContext>

/** The argument of a hook. `params` is a copy: a hook can change neither the host's call nor the judged paths. */
export interface HookPayload extends HookContext {
  readonly classification: ToolClassification
  /** The paths the call changes, as its arguments name them. */
  readonly targets: readonly string[]
  readonly session: Session
  /** Policy's decision on the call, which may ask a person. After the call it returns the same decision. */
  judge(): Promise<Denial | undefined>
  /** Gives the result of the call, so that the tool is not run. Only before the call. */
  handle(toolResult: string): void
  /** Set by {@link MutationHashHook}: the digest of the canonical call. */
  contentHash: string | undefined
  /** Set after the call. */
  readonly outcome?: 'done' | 'denied' | 'failed'
}

/** A hook's denial, or its failure after the call. `details` is the denial record, if there is one. */
export interface HookError {
  readonly message: string
  /** A denial reason, or a code of the hook. */
  readonly code: string
  readonly toolName?: string
  readonly details?: unknown
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook may be declared to return void or a promise of it
type HookAnswer = void | HookError | undefined

/** A hook around tool calls. */
export interface ToolHook {
  /** Runs before the call. Return an error, or throw, to refuse the call. */
  preExecute(toolName: string, payload: HookPayload): HookAnswer | Promise<HookAnswer>
  /** Runs after the call, also after a refused one. It cannot refuse. */
  postExecute(toolName: string, payload: HookPayload): HookAnswer | Promise<HookAnswer>
  /** Limits the hook to calls of this class. */
  readonly classification?: ToolClassification
}

/** The result of hooks for the host. */
export interface HookResult {
  readonly allow: boolean
  /** The text for the model, in the requested style. */
  readonly message?: string
  /** The denial record, the same in every style. */
  readonly error?: ToolError
  /** The result that a hook gave. Do not run the tool. */
  readonly toolResult?: string
  /** Reviewers' feedback for the model. `message` includes it, if there is a message. */
  readonly feedback: readonly Feedback[]
}

/** The result of a call that ran between its hooks. */
export interface HookRun<T> extends HookResult {
  /** The tool's result, if it ran. */
  readonly value?: T
  readonly contentHash?: string
  /** Failures of post-hooks. */
  readonly failures: readonly HookError[]
}
