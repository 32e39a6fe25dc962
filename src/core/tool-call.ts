import type { Denial } from './denials.js'
import type { MutationClass } from './mutation.js'
import type { ToolContext } from './tool-context.js'

/** A tool call as an adapter announces it to `Session.toolCall`. */
export interface ToolCall extends Pick<ToolContext, 'tool' | 'kind' | 'host'> {
  readonly id?: string
  /** Every path the call is going to change: all are judged before its first write. */
  readonly writes?: readonly PlannedWrite[]
  /**
   * Of a read tool: the files it is going to show. Where the disk has moved on below one that is staged, both are merged
   * before, and `Session.feedback` says so.
   */
  readonly reads?: readonly string[]
  /** What the agent says its writes are going to do. It is recorded beside what was measured, never in its place. */
  readonly declares?: MutationClass
  /** Refused without an active intent, whatever it writes: a command, say, whose changes no path tells of. */
  readonly needsIntent?: boolean
  /**
   * Asked in the call's context before its first write. The denial it answers with refuses the call and is recorded;
   * what it throws fails the call. It cannot let through what policy denies.
   */
  readonly gate?: (asked: GatedCall) => Promise<Denial | undefined>
  /**
   * While it runs, calls of `fs` made outside of any tool call belong to it: for a host that tells when a tool begins
   * and when it ends, and runs it itself. One such call at a time in a session.
   */
  readonly ambient?: boolean
}

/** A path that a tool call is going to change, and how. */
export interface PlannedWrite {
  readonly path: string
  /** `mkdir` is of a directory and those missing on the way to it; one that is there is no change. */
  readonly effect: 'put' | 'remove' | 'move' | 'mkdir'
}

/** A tool call that waits at its gate. */
export interface GatedCall {
  readonly id: string
  /** What policy says to it, people asked where it wants them to be. A denial stands from then on. */
  judge(): Promise<Denial | undefined>
}

/** What policy.yaml sets for tool calls that come by hooks; the defaults while it cannot be read. */
export interface GateSettings {
  /** Which tools wait for an intent: those that change something, or all of them. */
  readonly tools: 'destructive' | 'all'
  /** After how many refusals in a row a person is asked. */
  readonly breaker: number
  /** When a person is asked about a call: where a rule says `ask`, or before each that changes something. */
  readonly modal: 'ask' | 'all'
  /** A call that announces writes of more than directories must declare what they do ({@link ToolCall.declares}). */
  readonly requireMutationClass: boolean
}
