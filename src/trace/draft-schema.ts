import { z } from 'zod'
import { EscrowError } from '../core/api-error.js'
import { change, fileLines, list, mutationClass, reviewer, TRACE_TYPES } from './own-record.js'

/**
 * The input of the ledger: a record without its place in the chain. Drafts are plain JSON, because the redo journal of
 * a commit and the log of a stage store them. After a crash they are parsed with the same schema, and appended.
 */

const contributorType = z.enum(['ai', 'human', 'mixed', 'unknown'])

const agent = z.object({
  model: z.string().exactOptional(),
  tool: z.string().exactOptional(),
  toolVersion: z.string().exactOptional(),
  conversation: z.string().exactOptional(),
})

/** A range of lines after a change, from 1, both ends included. */
const lineRange = z.object({
  startLine: z.number(),
  endLine: z.number(),
  /** `sha256:` and hex of the lines, see {@link contentHash}. */
  contentHash: z.string(),
  /** Only if it differs from the file's: lines that a reviewer wrote into an agent's file. */
  contributor: contributorType.optional(),
})

/** The authors of the lines of one file. */
const fileAttribution = z.object({
  path: z.string(),
  ranges: z.array(lineRange).readonly(),
  contributor: contributorType.optional(),
  /** Only if it differs from the record's agent; null if the agent is unknown. */
  agent: agent.nullable().optional(),
  /** Only if it differs from the record's intent. */
  intent: z.string().nullable().optional(),
  mutationClass: mutationClass.optional(),
})

const draft = z.object({
  /** A UUID. {@link LedgerStore.appendOnce} writes two drafts of one id as one record. */
  id: z.string(),
  /** ISO 8601. */
  timestamp: z.string(),
  type: z.enum(TRACE_TYPES),
  intent: z.string().nullable(),
  session: z.string().nullable(),
  agent: agent.optional(),
  reqId: z.string().nullable(),
  files: z.array(fileAttribution).readonly(),
  changes: list(change),
  lines: list(fileLines).optional(),
  /** The commit or undo a record belongs to. */
  tx: z.string().optional(),
  verdict: z.enum(['approved', 'rejected', 'withdrawn']).optional(),
  /** The reason of a denial. */
  reason: z.string().optional(),
  /** The path a denial is about. */
  path: z.string().optional(),
  /** The paths of a verdict. */
  paths: z.array(z.string()).readonly().optional(),
  /** A reviewer's comment, or the message of a denial. */
  words: z.string().optional(),
  reviewer: reviewer.optional(),
  /** On a commit: the names of the reviewers who approved it. */
  approvedBy: z.array(z.string()).readonly().optional(),
  /** The fields that only this type of record has. They cannot override a field named above. */
  data: z.record(z.string(), z.unknown()).optional(),
})

export type ContributorType = z.output<typeof contributorType>
export type LineRange = z.output<typeof lineRange>
export type FileAttribution = z.output<typeof fileAttribution>
export type RecordDraft = z.output<typeof draft>

/**
 * Parses a draft that was stored as JSON.
 * @throws EscrowError `ledger_corrupt` for a value that is not a draft
 */
export function parseDraft(value: unknown): RecordDraft {
  const parsed = draft.safeParse(value)
  if (parsed.success) return parsed.data
  throw new EscrowError('ledger_corrupt', 'A record that waits to be written to the ledger cannot be read.', {
    hint: 'Run `escrow verify`. A newer version of escrowfs may have written it; if so, install that version.',
    cause: parsed.error,
  })
}
