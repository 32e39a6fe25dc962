import type { TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { MutationClass } from '../core/mutation.js'
import type { AgentInfo } from '../core/people.js'
import type { RecordDraft } from './draft-schema.js'
import { OWN } from './own-record.js'
import { fileEntry } from './record-file.js'
import type { Vcs } from './vcs.js'

/** A record's place in the chain. */
export interface ChainLink {
  /** The ledger's UUID, chosen by its first record. */
  readonly ledger: string
  /** Counts our records from 1. */
  readonly seq: number
  /** Hex SHA-256 of the previous line's bytes without its LF; null on the first line. */
  readonly prev: string | null
  /** The lines of other tools since our last record. */
  readonly foreign?: ForeignLines
  /** On a merge record: the ends of the other branches it joins. */
  readonly joins?: readonly BranchEnd[]
}

/** Lines of other tools: their number, and the fold of their hashes (chain.ts). */
export interface ForeignLines {
  readonly lines: number
  readonly sha256: string
  /** The hash of our record before them; null if there is none. Earlier versions did not write it. */
  readonly after?: string | null
}

/** The last line of a branch: a record of ours, or a line of another tool after it. */
export interface BranchEnd {
  readonly ledger: string | null
  /** The number of the last record of ours. */
  readonly seq: number
  readonly hash: string | null
  /** The lines of other tools after that record. */
  readonly foreign?: ForeignLines
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * The ledger line of a draft: valid Agent Trace 0.1.0, plus the fields that older readers need.
 * @param vcs undefined while the repository has no revision; the record then has none
 * @throws EscrowError `ledger_unavailable` when the draft's id is not a UUID or its timestamp no date
 */
export function buildRecord(draft: RecordDraft, chain: ChainLink, vcs: Vcs | undefined): TraceRecord {
  if (!UUID.test(draft.id)) throw badDraft(`its id '${draft.id}' is not a UUID`)
  return {
    version: '0.1.0',
    id: draft.id,
    timestamp: isoTime(draft.timestamp),
    ...(vcs !== undefined && { vcs: { type: vcs.type, revision: vcs.revision, revision_id: vcs.revision } }),
    tool: toolOf(draft),
    intent_id: draft.intent,
    session_id: draft.session,
    req_id: draft.reqId,
    mutation_class: mutationClass(draft),
    files: draft.files.map((file) => fileEntry(file, draft)),
    metadata: { [OWN]: ownFields(draft, chain) },
  }
}

function ownFields(draft: RecordDraft, chain: ChainLink): Record<string, unknown> {
  const { agent, reason, path, paths, words, reviewer, approvedBy } = draft
  return {
    ...draft.data,
    ledger: chain.ledger,
    seq: chain.seq,
    prev: chain.prev,
    ...defined({ foreign: chain.foreign, joins: chain.joins }),
    type: draft.type,
    intent: draft.intent,
    verdict: draft.verdict ?? null,
    tx: draft.tx ?? null,
    changes: draft.changes.map(({ path, before, after, type, from, mutation }) => {
      return { path, before, after, ...defined({ type, from, mutation }) }
    }),
    ...(draft.lines !== undefined && draft.lines.length > 0 && { lines: draft.lines }),
    ...(agent !== undefined && { agent: agentFields(agent) }),
    ...defined({ reason, path, paths, words, reviewer, approved_by: approvedBy }),
  }
}

function agentFields({ toolVersion, ...agent }: AgentInfo) {
  return { ...agent, ...defined({ tool_version: toolVersion }) }
}

function toolOf({ agent }: RecordDraft): Record<string, string> {
  if (agent?.tool === undefined) return { name: 'escrowfs' }
  return { name: agent.tool, ...defined({ version: agent.toolVersion }) }
}

/** A record evolves the intent if one of its files does, and refactors only if all of them do. */
function mutationClass({ files, changes }: RecordDraft): MutationClass | null {
  const measured = changes.flatMap(({ mutation }) => (mutation ? [mutation.class] : []))
  const classes = [...files.map((file) => file.mutationClass), ...measured]
  if (classes.includes('INTENT_EVOLUTION')) return 'INTENT_EVOLUTION'
  return classes.length > 0 && classes.every((each) => each === 'AST_REFACTOR') ? 'AST_REFACTOR' : null
}

function isoTime(given: string): string {
  const time = new Date(given)
  if (Number.isNaN(time.getTime())) throw badDraft(`its timestamp '${given}' is not a date`)
  const iso = time.toISOString()
  // ISO strings of years beyond 9999 or before 0 have a sign, which RFC 3339 does not allow.
  if (iso.length !== 24) throw badDraft(`its timestamp '${given}' is outside the years 0 to 9999`)
  return iso
}

function badDraft(what: string): EscrowError {
  return new EscrowError('ledger_unavailable', `A trace record cannot be written: ${what}.`)
}
