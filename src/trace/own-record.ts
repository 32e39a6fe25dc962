// Long because: it has one schema for each type of record.
import { z } from 'zod'
import { isObject } from '../core/is-object.js'
import type { TraceRecord } from '../core/ledger-api.js'

/**
 * The fields of escrowfs in a ledger record, `metadata["dev.escrowfs"]`: one schema for each type of record. Writers
 * take their types from it, and readers parse with it.
 * A ledger may be old, damaged, or newer. So a field that does not fit its schema reads as absent, an item of a list that does not fit is
 * dropped, and no reader throws. Names are in snake case.
 */

/** The key of our own fields in a record's `metadata`. */
export const OWN = 'dev.escrowfs'

// ---- field schemas

/** An optional field that reads as absent if its value does not fit. */
function field<S extends z.ZodType>(schema: S) {
  return schema.optional().catch(undefined)
}

/**
 * A list without the items that do not fit. One parse of the whole list is several times faster than one for each item.
 */
export function list<S extends z.ZodType>(item: S) {
  const whole = z.array(item)
  return z.array(z.unknown()).transform((values): readonly z.output<S>[] => {
    const parsed = whole.safeParse(values)
    if (parsed.success) return parsed.data
    return values.flatMap((value) => {
      const one = item.safeParse(value)
      return one.success ? [one.data] : []
    })
  })
}

/** A schema that also reads fields by the names of earlier versions. */
function withOldNames<S extends z.ZodType>(oldNames: Readonly<Record<string, string>>, schema: S) {
  return z.preprocess((value) => (isObject(value) ? rename(value, oldNames) : value), schema)
}

function rename(fields: Record<string, unknown>, oldNames: Readonly<Record<string, string>>): Record<string, unknown> {
  let renamed: Record<string, unknown> | undefined
  for (const old in oldNames) {
    const now = oldNames[old]
    if (now === undefined || fields[old] === undefined || fields[now] !== undefined) continue
    renamed ??= { ...fields }
    renamed[now] = fields[old]
  }
  return renamed ?? fields
}

const name = z.string().min(1)
const count = z.int().nonnegative()
const names = field(list(name))
const digest = z.string().min(1).nullable().catch(null)
export const mutationClass = z.enum(['AST_REFACTOR', 'INTENT_EVOLUTION'])

const mutation = z.object({
  class: z.enum(['AST_REFACTOR', 'INTENT_EVOLUTION', 'UNVERIFIED']),
  rule: z.string(),
  detail: z.string(),
  declared: field(mutationClass),
})

/** Content digests of one path before and after a change; null if nothing was there. */
export type RecordedChange = z.output<typeof change>

export const change = z.object({
  path: name,
  before: digest,
  after: digest,
  /** The type of the path after the change. Absent for a deletion, and in records of earlier versions. */
  type: field(z.enum(['file', 'dir', 'symlink'])),
  /** The old path of a renamed file. */
  from: field(name),
  mutation: field(mutation),
})

/** How the lines of one file changed, so that each can be followed without the contents. */
export interface FileLines {
  readonly path: string
  /** In the old lines, from 0: the position, the number of lines removed, and the number of lines added there. */
  readonly hunks: readonly (readonly [at: number, removed: number, added: number])[]
  /** The fingerprints of the added lines, in order: see line-prints.ts. */
  readonly added: string
  /** The fingerprints of all old lines, if no earlier record has them. */
  readonly base?: string | undefined
}

/** A check by hand: a commit may have thousands of hunks, and a zod tuple takes longer than the JSON parser does. */
function isHunks(value: unknown): boolean {
  const isCount = (each: unknown) => typeof each === 'number' && Number.isSafeInteger(each) && each >= 0
  return Array.isArray(value) && value.every((hunk) => Array.isArray(hunk) && hunk.length === 3 && hunk.every(isCount))
}

/** Drops a file with a damaged hunk: an incomplete list of hunks would attribute lines to the wrong authors. */
export const fileLines: z.ZodType<FileLines> = z.object({
  path: name,
  hunks: z.custom<FileLines['hunks']>(isHunks),
  added: z.string(),
  base: z.string().optional(),
})

const agent = withOldNames(
  { toolVersion: 'tool_version' },
  z.object({ model: field(name), tool: field(name), tool_version: field(name), conversation: field(name) }),
)
export const reviewer = z.object({ name, email: field(name) })
const refusal = z.object({ path: name, reason: name, message: field(z.string()) })
const intentState = z.object({ status: z.string(), scope: list(z.string()) })

const intentChange = z.object({
  created: field(z.literal(true)),
  deleted: field(z.literal(true)),
  status: field(z.object({ from: z.string(), to: z.string() })),
  scope: field(z.object({ added: list(z.string()), removed: list(z.string()) })),
})

const claim = withOldNames({ intentId: 'intent_id' }, z.object({ session: name, intent_id: name, path: z.string() }))
const allowed = z.object({ by: name, answer: field(name), question: field(name) })
const tornEnd = { bytes: field(count), sha256: field(name.nullable()), saved_as: field(name.nullable()) }
/** The git commits that landed with a commit: see `GitLanding` in src/git. */
const landing = field(z.object({ ref: name, old: name.nullable(), commits: list(name), checked_out: z.boolean() }))
/** The acceptance sentences of its intents. */
const checklist = field(list(z.object({ intent: name, criterion: z.string(), ticked: z.boolean(), by: field(name) })))
/** Where a landing queue put approved changes, which no commit wrote to this machine's disk: a git branch and the id of its commit. */
const landed = field(z.object({ branch: name, commit: name }))
const part = { part: field(count), parts: field(count), edited_by: names, git: landing, evidence: names, checklist }

// ---- record types

/**
 * Fields that a record of any type may have. The fields of the chain are parsed in chain.ts, which refuses bad ones.
 */
const shared = {
  seq: field(count),
  intent: field(name.nullable()),
  verdict: field(z.enum(['approved', 'rejected', 'withdrawn']).nullable()),
  tx: field(name.nullable()),
  changes: field(list(change)),
  lines: field(list(fileLines)),
  agent: field(agent),
  reason: field(name),
  path: field(name),
  paths: names,
  words: field(name),
  reviewer: field(reviewer),
  approved_by: names,
}

function record<T extends string, S extends z.ZodRawShape>(type: T, data: S) {
  return z.object({ type: z.literal(type), ...shared, ...data })
}

/** The types of records, each with its fields in addition to the shared ones. A new type or field is a row here. */
const RECORD = z.discriminatedUnion('type', [
  record('intent_selected', {
    now: field(intentState),
    change: field(intentChange),
    claims: field(list(claim)),
  }),
  record('intent_cleared', {}),
  record('tool_call', {
    tool_name: field(name),
    outcome: field(name),
    snapshot: field(name),
    declares: field(name),
    why: field(z.string()),
  }),
  record('denied', {
    tool_name: field(name),
    again: field(count),
    reported: field(z.boolean()),
    more: field(count),
    unread: field(count),
  }),
  record('verdict', {
    verdict_id: field(name),
    rule: field(z.object({ tier: name, policy: name })),
    hunks: names,
    question: field(name),
    answer: field(name),
    command: field(z.string()),
    remembered: field(z.record(z.string(), z.union([z.string(), z.boolean()]))),
  }),
  record('commit', { ...part, policy: field(name), landed }),
  record('undo', { ...part, policy: field(name), undoes: field(z.union([name, list(name)])) }),
  record('command', {
    command: field(z.union([z.string(), list(z.string())])),
    exit_code: field(z.int().nullable()),
    ended: field(name),
    classes: names,
    why: names,
    allowed: field(allowed),
    format: names,
    network: field(z.boolean()),
    hosts: names,
    connections: field(list(z.object({ to: name, count }))),
    unreachable: names,
    isolation: field(z.enum(['sandbox', 'none'])),
    containment: field(name),
    effects: names,
    refused: field(list(refusal)),
    kept: names,
    commits: field(list(z.object({ id: name, message: z.string(), paths: list(name) }))),
    git_refs: field(list(z.object({ ref: name, id: name, subject: z.string() }))),
    background: field(name),
    started: field(z.boolean()),
    quarantine: field(z.enum(['taken', 'dropped'])),
  }),
  record('check', {
    check: field(name),
    command: field(z.string()),
    exit_code: field(z.int().nullable()),
    ended: field(name),
    duration: field(count),
    output: field(name),
    tree: field(name),
    isolation: field(z.enum(['sandbox', 'none'])),
    tools: names,
    hosts: names,
  }),
  record('lesson', { duplicate: field(z.boolean()), direct: field(z.boolean()), context: field(z.string()) }),
  record('scope_changed', {
    now: field(intentState),
    change: field(intentChange),
    by_hand: field(z.boolean()),
    question: field(name),
    answer: field(name),
  }),
  record('travel', { to: field(name), left: field(name), kept: names }),
  record('drift_merged', {}),
  record('recovered', { ...tornEnd, restored: names }),
  record('merge', { torn: field(z.object(tornEnd)) }),
  record('checkpoint', {
    signed_seq: field(count),
    signed_hash: field(name),
    key: field(name),
    signature: field(name),
  }),
])

const UNKNOWN_RECORD = z.object({ type: z.undefined(), name: field(name), ...shared })

export type KnownRecord = z.output<typeof RECORD>
/** A record of a type that this version does not know. `name` is the type as written. */
export type UnknownRecord = z.output<typeof UNKNOWN_RECORD>
export type OwnRecord = KnownRecord | UnknownRecord

export type TraceType = KnownRecord['type']
export type OwnRecordOf<T extends TraceType> = Extract<KnownRecord, { readonly type: T }>

/** The fields of one type of record, without the shared ones. */
export type DataOf<T extends TraceType> = {
  [K in TraceType]: Omit<OwnRecordOf<K>, 'type' | keyof typeof shared>
}[T]

export const TRACE_TYPES: readonly TraceType[] = RECORD.options.map(({ shape }) => shape.type.value)

const KNOWN_TYPES: ReadonlySet<unknown> = new Set(TRACE_TYPES)

// ---- reading

/** Names of shared and own fields in earlier versions → their names now. */
const OLD_NAMES = { approvedBy: 'approved_by', told: 'reported' }

/** Our own fields of a record; undefined if another tool wrote it. Never throws. */
export function ownRecord(record: TraceRecord): OwnRecord | undefined {
  const own = namespaceOf(record)
  if (own === undefined) return undefined
  const fields = rename(own, OLD_NAMES)
  if (KNOWN_TYPES.has(own.type)) return RECORD.parse(fields)
  return UNKNOWN_RECORD.parse({ ...fields, type: undefined, name: own.type })
}

/** As {@link ownRecord}, if the record is of one of the given types. The fields of other records are not parsed. */
export function ownRecordOf<T extends TraceType>(
  record: TraceRecord,
  ...types: readonly T[]
): OwnRecordOf<T> | undefined {
  const type = namespaceOf(record)?.type
  const isWanted = (own: OwnRecord | undefined): own is OwnRecordOf<T> => types.some((each) => each === own?.type)
  if (!types.some((each) => each === type)) return undefined
  const own = ownRecord(record)
  return isWanted(own) ? own : undefined
}

const FILE_CHANGES = z.object({ changes: field(list(change.omit({ mutation: true }))), lines: shared.lines })

/** The changed files of a commit or undo. Faster than {@link ownRecordOf}, because it parses no other field. */
export function fileChangesOf(record: TraceRecord): z.output<typeof FILE_CHANGES> | undefined {
  const own = namespaceOf(record)
  return own?.type === 'commit' || own?.type === 'undo' ? FILE_CHANGES.parse(own) : undefined
}

/** Whether this program wrote the record. */
export function isOwnRecord(record: TraceRecord): boolean {
  return namespaceOf(record) !== undefined
}

function namespaceOf({ metadata }: TraceRecord): Record<string, unknown> | undefined {
  const own = isObject(metadata) ? metadata[OWN] : undefined
  return isObject(own) ? own : undefined
}
