import { z } from 'zod'
import { type FileState, type StagedChange, sameState } from '../../overlay/change.js'
import type { Verdict } from '../core/api.js'

/** What a review log holds: one record a line. Strict, so that a field we do not know is never silently passed over. */

const state = z
  .strictObject({
    type: z.enum(['file', 'dir', 'symlink']),
    digest: z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)]),
    mode: z.int().min(0).max(0o7777),
  })
  .nullable()

const entry = z.strictObject({ path: z.string(), from: z.string().optional(), before: state, after: state })
const entries = z.array(entry)
const reviewer = z.strictObject({ name: z.string(), email: z.string().optional() })
const common = { id: z.string(), at: z.string(), entries }

const verdict = z.strictObject({
  ...common,
  kind: z.literal('verdict'),
  verdict: z.enum(['approved', 'rejected']),
  by: reviewer,
  reason: z.string().optional(),
})
/** The changes are to leave the stage, once: a later change of the same content is a new one. */
const discard = z.strictObject({ ...common, kind: z.literal('discard') })
/** The approvals of these changes are spent. */
const committed = z.strictObject({ ...common, kind: z.literal('committed'), tx: z.string() })

export const reviewRecord = z.discriminatedUnion('kind', [verdict, discard, committed])

export type ReviewRecord = z.infer<typeof reviewRecord>
export type VerdictRecord = z.infer<typeof verdict>
/** A change as it was when someone decided on it: its base, and what is staged. */
export type ReviewEntry = z.infer<typeof entry>

export function entryOf(change: StagedChange): ReviewEntry {
  const { path, from, before, after } = change
  return { path, ...(from !== undefined && { from }), before: stateOf(before), after: stateOf(after) }
}

/** Tells the changes of one path apart: a file that went, and a directory that came in its place. */
export function keyOf({ path, before, after }: StagedChange | ReviewEntry): string {
  return before?.type === 'dir' || after?.type === 'dir' ? `${path}/` : path
}

/** True while a change is what an entry was written for: same place, same base, same outcome. */
export function matches(entry: ReviewEntry, change: StagedChange | ReviewEntry): boolean {
  return (
    entry.path === change.path &&
    entry.from === change.from &&
    sameState(entry.before, change.before) &&
    sameState(entry.after, change.after)
  )
}

export function verdictOf({ id, verdict, entries, reason, by, at }: VerdictRecord): Verdict {
  const reviewer = { name: by.name, ...(by.email !== undefined && { email: by.email }) }
  const paths = entries.map(({ path }) => path)
  return { id, verdict, paths, ...(reason !== undefined && { reason }), by: reviewer, at }
}

/** Only what is compared: a staged state may carry more. */
function stateOf(from: FileState | null): FileState | null {
  return from === null ? null : { type: from.type, digest: from.digest, mode: from.mode }
}
