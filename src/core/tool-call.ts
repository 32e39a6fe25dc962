import type { Denial } from './denials.js'
import type { MutationClass } from './mutation.js'
import type { ToolContext } from './tool-context.js'

/** The description of a tool call, for `Session.toolCall`. */
export interface ToolCall extends Pick<ToolContext, 'tool' | 'kind' | 'host'> {
  readonly id?: string | undefined
  /** Every path that the call will change. Policy judges all of them before the first write. */
  readonly writes?: readonly PlannedWrite[] | undefined
  /**
   * For a read tool: the files that the model will see. If the base of a staged file has changed on disk, the file is first merged
   * with the disk, and `Session.feedback` reports it.
   */
  readonly reads?: readonly string[] | undefined
  /** The mutation class that the agent declares. It is recorded with the measured class and never replaces it. */
  readonly declares?: MutationClass | undefined
  /** Why the agent makes the call, in its own words. A reviewer reads it above the changes. */
  readonly why?: string | undefined
  /** Refuses the call if no intent is active, whatever it writes: for tools whose changes are not known in advance. */
  readonly needsIntent?: boolean | undefined
  /**
   * Called in the call's context before its first write. A denial that it resolves to refuses the call and is recorded; an error
   * fails the call. It cannot override a denial by policy.
   */
  readonly gate?: ((asked: GatedCall) => Promise<Denial | undefined>) | undefined
  /**
   * Attributes `fs` calls outside any tool call to this one while it runs: for a host that runs the tool itself and reports its
   * beginning and end. A session can have one such call at a time.
   */
  readonly ambient?: boolean | undefined
}

/** A path that a tool call will change. */
export interface PlannedWrite {
  readonly path: string
  /** `mkdir` also creates missing parents. For an existing directory it changes nothing. */
  readonly effect: 'put' | 'remove' | 'move' | 'mkdir'
}

/** A tool call that waits for the decision of its gate. */
export interface GatedCall {
  readonly id: string
  /** Asks policy, and a person if policy requires it. A denial is final. */
  judge(): Promise<Denial | undefined>
}

/** The settings for tool calls of hooks in policy.yaml. The defaults apply while the file cannot be read. */
export interface GateSettings {
  /** The tools that need an active intent: those that change something, or all. */
  readonly tools: 'destructive' | 'all'
  /** The number of consecutive denials after which a person is asked. */
  readonly breaker: number
  /** When a person is asked about a call: if a rule says `ask`, or before every call that changes something. */
  readonly modal: 'ask' | 'all'
  /** Whether a call must declare a mutation class ({@link ToolCall.declares}) if it announces more than new directories. */
  readonly requireMutationClass: boolean
}
