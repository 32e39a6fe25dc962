import { newId } from '../core/ids.js'
import type { Mutation, MutationClass } from '../core/mutation.js'
import type { AgentInfo, Reviewer } from '../core/people.js'

/**
 * What a room hands to the ledger. Plain JSON throughout: a commit keeps its draft in the redo journal, so that recovery
 * can write the very record the commit was going to write.
 */

export const TRACE_TYPES = [
  'intent_selected',
  'intent_cleared',
  'tool_call',
  'denied',
  'verdict',
  'commit',
  'undo',
  'command',
  'lesson',
  'scope_changed',
  'travel',
  'drift_merged',
  'recovered',
  'merge',
  'checkpoint',
] as const

export type TraceType = (typeof TRACE_TYPES)[number]
export type ContributorType = 'ai' | 'human' | 'mixed' | 'unknown'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Lines of a file as it is after a change, counted from 1, both ends included. */
export interface LineRange {
  readonly startLine: number
  readonly endLine: number
  /** `sha256:` and hex of the lines, see {@link contentHash}. */
  readonly contentHash: string
  /** Where it differs from the file's: lines a reviewer wrote into an agent's file. */
  readonly contributor?: ContributorType
}

/** Who wrote which lines of one file. */
export interface FileAttribution {
  readonly path: string
  readonly ranges: readonly LineRange[]
  readonly contributor?: ContributorType
  /** Where it is another than the record's; null where nobody said who it was. */
  readonly agent?: AgentInfo | null
  /** Where it differs from the record's intent. */
  readonly intent?: string | null
  readonly mutationClass?: MutationClass
}

/** How the lines of one file changed, so that each can be followed without the contents. */
export interface FileLines {
  readonly path: string
  /** Of the old lines, from 0: where, how many are gone, how many came in their place. */
  readonly hunks: readonly (readonly [at: number, gone: number, come: number])[]
  /** The prints of the lines that came, in order: see line-prints.ts. */
  readonly added: string
  /** The prints of all old lines, where no record before this one has them. */
  readonly base?: string
}

/** Content digests of one path, before and after; null where nothing stood there. */
export interface RecordedChange {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
  /** Of a rename: where it was. */
  readonly from?: string
  readonly mutation?: Mutation
}

export interface RecordDraft {
  /** A UUID. Two drafts of one id are one record to {@link LedgerStore.appendOnce}. */
  readonly id: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly type: TraceType
  readonly intent: string | null
  readonly session: string | null
  readonly agent?: AgentInfo | undefined
  readonly reqId: string | null
  readonly files: readonly FileAttribution[]
  readonly changes: readonly RecordedChange[]
  readonly lines?: readonly FileLines[]
  /** The commit or undo a record belongs to. */
  readonly tx?: string
  readonly verdict?: 'approved' | 'rejected' | 'withdrawn'
  /** Why: a denial's reason. */
  readonly reason?: string
  /** The path a denial is about. */
  readonly path?: string
  /** The paths a verdict holds for. */
  readonly paths?: readonly string[]
  /** A reviewer's words, a denial's message. */
  readonly words?: string
  readonly reviewer?: Reviewer
  /** Of a commit: the names of those who approved it. */
  readonly approvedBy?: readonly string[]
  /** Anything else a type has to say; a name used above is not overridden. */
  readonly data?: { readonly [key: string]: Json }
}

type ReportedDenial = 'type' | 'intent' | 'session'

/** A draft of now, with a fresh id and nothing in the lists that are not given. */
export function newDraft(
  given: Pick<RecordDraft, ReportedDenial> & Partial<Omit<RecordDraft, ReportedDenial>>,
): RecordDraft {
  return { id: newId(), timestamp: new Date().toISOString(), reqId: null, files: [], changes: [], ...given }
}
