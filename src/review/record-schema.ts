import { z } from 'zod'
import { EscrowError } from '../core/api-error.js'

/** The records of a review log, one a line. Strict, so that no unknown field is ignored. */

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
  /** The rule that approved without a person. */
  rule: z.strictObject({ tier: z.string(), policy: z.string() }).optional(),
})
/** From now on, the only hunk of its only entry is shown as these pieces. */
const split = z.strictObject({ ...common, kind: z.literal('split'), by: reviewer, pieces: z.array(z.string()) })
/** Removes these changes or hunks from the stage, once. A later change with the same content is a new one. */
const discard = z.strictObject({ ...common, kind: z.literal('discard'), seq: z.int().optional() })
/**
 * Gives a change another content or base: a reviewer's edit, the file without discarded hunks, or the file merged with its content on disk.
 * It has one entry: the change before it.
 */
const amend = z.strictObject({
  ...common,
  kind: z.literal('amend'),
  cause: z.enum(['edit', 'discard', 'merge']),
  by: reviewer,
  /** The last commit that its reviewer knew. It applies after that commit and before the next. */
  seq: z.int(),
  /** Stored next to the log, like the content that it replaces. Without it the content stays. */
  content: digest.optional(),
  /** Of a merge: the new base. */
  onto: state.optional(),
  /** Of a merge: the agent caused it by reading the file, and `by` names the agent. */
  reading: z.boolean().optional(),
  /** Of a merge: both sides changed the same lines, or the file is not text. Both contents are kept. */
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
/** An answer to a question of the session. `path` is that of the write that an `ask` rule refused. */
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
  /** It was also added to policy.yaml as a rule. */
  remember: z.boolean().optional(),
  by: reviewer,
})

export const reviewRecord = z.discriminatedUnion('kind', [verdict, split, discard, amend, committed, answer, tick])

export type ReviewRecord = z.infer<typeof reviewRecord>
export type VerdictRecord = z.infer<typeof verdict>
export type AmendRecord = z.infer<typeof amend>
export type TickRecord = z.infer<typeof tick>
export type AnswerRecord = z.infer<typeof answer>
/** A change as it was when somebody decided on it or on a part of it: its base and its staged state. */
export type ReviewEntry = z.infer<typeof entry>
export type HunkRef = Readonly<z.infer<typeof hunk>>
/** The paths of a change, and its states before and after. */
export type ChangeRef = Readonly<Pick<ReviewEntry, 'path' | 'from' | 'before' | 'after'>>

/**
 * Returns a new record as the log stores it.
 * @throws EscrowError `unsupported` for a record that no reader would accept: callers without a type checker may give anything
 */
export function checkedRecord<T extends ReviewRecord>(record: T): T {
  const parsed = reviewRecord.safeParse(record)
  if (parsed.success) return record
  const [issue] = parsed.error.issues
  const message = `This decision cannot be recorded. ${issue?.path.join('.')}: ${issue?.message}.`
  throw new EscrowError('unsupported', message, { cause: parsed.error })
}
