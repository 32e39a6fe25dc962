import { z } from 'zod'

/** What a review log holds: one record a line. Strict, so that a field we do not know is never silently passed over. */

const digest = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)])
const state = z
  .strictObject({ type: z.enum(['file', 'dir', 'symlink']), digest, mode: z.int().min(0).max(0o7777) })
  .nullable()

/** The id of a hunk, and its lines in the staged file. */
const hunk = z.strictObject({ id: z.string(), start: z.int(), lines: z.int() })
const entry = z.strictObject({
  path: z.string(),
  from: z.string().optional(),
  before: state,
  after: state,
  /** Only these hunks of the change. */
  hunks: z.array(hunk).optional(),
  /** The entry is about the whole change except the hunks of these ids, which keep their verdicts. */
  except: z.array(z.string()).optional(),
})
const entries = z.array(entry)
const reviewer = z.strictObject({ name: z.string(), email: z.string().optional() })
const common = { id: z.string(), at: z.string(), entries }

const verdict = z.strictObject({
  ...common,
  kind: z.literal('verdict'),
  verdict: z.enum(['approved', 'rejected', 'withdrawn']),
  by: reviewer,
  reason: z.string().optional(),
  /** The rule that gave the approval in place of a person. */
  rule: z.strictObject({ tier: z.string(), policy: z.string() }).optional(),
})
/** Its one entry's one hunk is shown as these pieces from now on. */
const split = z.strictObject({ ...common, kind: z.literal('split'), by: reviewer, pieces: z.array(z.string()) })
/** The changes, or hunks, are to leave the stage, once: a later change of the same content is a new one. */
const discard = z.strictObject({ ...common, kind: z.literal('discard'), seq: z.int().optional() })
/**
 * A change is to have another content, or another base: a reviewer's edit, the file without hunks that were discarded,
 * or the file merged with what the disk holds now. It has one entry: the change as it was then.
 */
const amend = z.strictObject({
  ...common,
  kind: z.literal('amend'),
  cause: z.enum(['edit', 'discard', 'merge']),
  by: reviewer,
  /** The last commit its reviewer knew of: it comes after that one and before the next. */
  seq: z.int(),
  /** Kept beside the log, as is the content it replaces. Without it the content stays. */
  content: digest.optional(),
  /** Of a merge: the base from now on. */
  onto: state.optional(),
  /** Of a merge: no reviewer made it, but the agent by reading the file; `by` names the agent. */
  reading: z.boolean().optional(),
  /** Of a merge: both sides changed the same lines, or it is no text. Both are kept. */
  conflict: z.boolean().optional(),
})
/** The approvals of these changes are spent. */
const committed = z.strictObject({
  ...common,
  kind: z.literal('committed'),
  tx: z.string(),
  /** The ids of the ticks that it recorded: they are spent too. */
  ticks: z.array(z.string()).optional(),
})
/** A person ticked an acceptance sentence of an intent, or cleared the tick. It counts for exactly this text. */
const tick = z.strictObject({
  ...common,
  kind: z.literal('tick'),
  intent: z.string(),
  criterion: z.string(),
  ticked: z.boolean(),
  by: reviewer,
})
/** To a question of the session. `path`: of the write that an `ask` rule refused. */
const answer = z.strictObject({
  ...common,
  kind: z.literal('answer'),
  question: z.string(),
  answer: z.enum(['allow', 'once', 'subtree', 'deny']),
  path: z.string().optional(),
  /** Of a command: the key of its question, and its line. */
  key: z.string().optional(),
  command: z.string().optional(),
  words: z.string().optional(),
  /** It is a rule of policy.yaml as well. */
  remember: z.boolean().optional(),
  by: reviewer,
})

export const reviewRecord = z.discriminatedUnion('kind', [verdict, split, discard, amend, committed, answer, tick])

export type ReviewRecord = z.infer<typeof reviewRecord>
export type VerdictRecord = z.infer<typeof verdict>
export type AmendRecord = z.infer<typeof amend>
export type TickRecord = z.infer<typeof tick>
export type AnswerRecord = z.infer<typeof answer>
/** A change as it was when someone decided on it, or on a part of it: its base, and what is staged. */
export type ReviewEntry = z.infer<typeof entry>
export type HunkRef = Readonly<z.infer<typeof hunk>>
/** Which change it is, and what it does. */
export type ChangeRef = Readonly<Pick<ReviewEntry, 'path' | 'from' | 'before' | 'after'>>
