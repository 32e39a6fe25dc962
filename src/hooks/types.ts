import type { Feedback, Session } from '../core/api.js'
import type { Denial, ToolError } from '../core/denials.js'
import type { ToolArguments, ToolClassification } from './catalogue.js'

/** A tool call as a host tells of it. */
export interface HookContext {
  /** One conversation; its session has this id. */
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

/** What a host must tell; the rest is filled in. */
export type HookInput = Pick<HookContext, 'taskId' | 'toolName' | 'params' | 'cwd'> & Partial<HookContext>

/** What a hook is given. Its arguments are a copy: no hook can change what the host runs, nor which paths were judged. */
export interface HookPayload extends HookContext {
  readonly classification: ToolClassification
  /** The paths the call changes, as its arguments name them. */
  readonly targets: readonly string[]
  readonly session: Session
  /** Policy's answer to the call, people asked where it wants them to be. After the call: what it was. */
  judge(): Promise<Denial | undefined>
  /** The call is answered with this, and its tool is not run. Before the call only. */
  handle(toolResult: string): void
  /** Set by {@link MutationHashHook}: the digest of the canonical call. */
  contentHash: string | undefined
  /** After the call only. */
  readonly outcome?: 'done' | 'denied' | 'failed'
}

/** A hook's refusal, or its failure after the call. `details` is the whole record where there is one. */
export interface HookError {
  readonly message: string
  /** A reason of a denial where it is one. */
  readonly code: string
  readonly toolName?: string
  readonly details?: unknown
}

// biome-ignore lint/suspicious/noConfusingVoidType: hooks written to return void, or a promise of it, are hooks too
type HookAnswer = void | HookError | undefined

/** A hook around tool calls. */
export interface ToolHook {
  /** Before the call: an error refuses it, and so does throwing. */
  preExecute(toolName: string, payload: HookPayload): HookAnswer | Promise<HookAnswer>
  /** After the call, refused ones too. It can refuse nothing any more. */
  postExecute(toolName: string, payload: HookPayload): HookAnswer | Promise<HookAnswer>
  /** Asked about calls of this class alone; without it, about all. */
  readonly classification?: ToolClassification
}

/** What a host is told of a call. */
export interface HookResult {
  readonly allow: boolean
  /** For the model, in the words of the style that asked. */
  readonly message?: string
  /** The refusal's record, the same whatever the style. */
  readonly error?: ToolError
  /** A hook has answered the call: this is its result, and its tool is not to be run. */
  readonly toolResult?: string
  /** What reviewers said, for the model to be told with the result; where there is a message, it has the words too. */
  readonly feedback: readonly Feedback[]
}

/** What became of a call that ran inside of hooks. */
export interface HookRun<T> extends HookResult {
  /** What the tool answered, if it ran. */
  readonly value?: T
  readonly contentHash?: string
  /** Hooks that failed after the call. */
  readonly failures: readonly HookError[]
}
