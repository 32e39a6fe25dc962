import type { Denial } from './denials.js'
import type { MutationClass } from './mutation.js'
import type { ToolContext } from './tool-context.js'

/** A tool call, announced to `Session.toolCall`. */
export interface ToolCall extends Pick<ToolContext, 'tool' | 'kind' | 'host'> {
  readonly id?: string
  /** Every path that the call will change. Policy judges all of them before the first write. */
  readonly writes?: readonly PlannedWrite[]
  /**
   * For a read tool: the files that it will show. A staged file whose base has changed on disk is merged with the disk first, and
   * `Session.feedback` reports it.
   */
  readonly reads?: readonly string[]
  /** The mutation class that the agent declares. It is recorded beside the measured one and never replaces it. */
  readonly declares?: MutationClass
  /** Why the agent makes the call, in its own words. A reviewer reads it above the changes. */
  readonly why?: string
  /** Refuse the call without an active intent, whatever it writes: for tools whose changes are not known beforehand. */
  readonly needsIntent?: boolean
  /**
   * Called in the call's context before its first write. A denial that it resolves to refuses the call and is recorded; an error
   * fails the call. It cannot override a denial by policy.
   */
  readonly gate?: (asked: GatedCall) => Promise<Denial | undefined>
  /**
   * While the call runs, `fs` calls outside of any tool call belong to it: for a host that reports when a tool begins and ends,
   * and runs it itself. One such call at a time in a session.
   */
  readonly ambient?: boolean
}

/** A path that a tool call will change. */
export interface PlannedWrite {
  readonly path: string
  /** `mkdir` creates missing parents too; for an existing directory it is no change. */
  readonly effect: 'put' | 'remove' | 'move' | 'mkdir'
}

/** A tool call that waits for its gate. */
export interface GatedCall {
  readonly id: string
  /** Asks policy, and people where policy says so. A denial is final. */
  judge(): Promise<Denial | undefined>
}

/** The settings of policy.yaml for tool calls of hooks; the defaults while the file cannot be read. */
export interface GateSettings {
  /** Which tools need an active intent: those that change something, or all. */
  readonly tools: 'destructive' | 'all'
  /** How many refusals in a row until a person is asked. */
  readonly breaker: number
  /** When a person is asked about a call: where a rule says `ask`, or before each that changes something. */
  readonly modal: 'ask' | 'all'
  /** A call that announces writes of more than directories must declare what they do ({@link ToolCall.declares}). */
  readonly requireMutationClass: boolean
}
