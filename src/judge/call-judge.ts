import type { Explanation, Feedback, GateSettings, PlannedWrite, Session } from '../core/api.js'
import type { Denial } from '../core/denials.js'

/** A tool call that its host asks about before running it. */
export interface JudgedCall {
  readonly tool: string
  readonly id?: string
  readonly writes?: readonly PlannedWrite[]
  /** Files that it shows to the model. */
  readonly reads?: readonly string[]
  /** Directories whose files it searches. */
  readonly searches?: readonly string[]
  /** Refuse the call without an active intent, whatever it writes. */
  readonly needsIntent?: boolean
  /** A shell command line. */
  readonly command?: string
  /** The call declares a mutation class. */
  readonly declaresClass?: boolean
}

/**
 * Judges a host's tool calls by the rules of a session, without opening it. The answer is the same while another
 * process owns the session, and on a read-only disk. Denials are recorded in the ledger if it can be written.
 */
export interface CallJudge extends Pick<Session, 'intent' | 'intents'> {
  readonly root: string
  readonly session: string
  readonly gate: GateSettings
  /** A live process owns the session and has published no socket for `escrow-sh`. */
  readonly isHeld: boolean
  /**
   * The verdict of each rule on an access, symbolic links followed. Nothing is recorded.
   * @param path relative to the root, or absolute
   */
  explain(path: string, op: 'read' | 'write' | 'remove'): Explanation
  /** Resolves to the first denial, and records it; undefined if the call may run. */
  judge(call: JudgedCall): Promise<Denial | undefined>
  /** Records a denial that the caller decided. */
  refuse(denial: Denial, call: Pick<JudgedCall, 'tool' | 'id'>): Promise<void>
  /** The undelivered feedback, if no process owns the session or its owner answers. It counts as delivered from then on. */
  feedback(): Promise<Feedback[]>
  /** Reports the agent to the session's owner, if the owner does not know its model yet. Never rejects. */
  introduceAgent(): Promise<void>
  /** Whether a text differs from the last one that this conversation of a client got. Remembers the text. */
  isNews(conversation: string, text: string): boolean
}
