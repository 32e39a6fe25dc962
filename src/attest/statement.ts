import { z } from 'zod'

/** The statement that an attestation signs: an in-toto Statement v1 about one commit. docs/attestations.md explains each field. */

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const PREDICATE_TYPE = 'https://github.com/escrowfs/escrowfs/attestation/commit/v1'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const person = z.object({ name: z.string(), email: z.string().exactOptional() })
const place = z.object({ seq: z.int().positive(), hash: sha256 })

const verdict = z.object({
  record: place,
  at: z.string(),
  verdict: z.enum(['approved', 'rejected', 'withdrawn']),
  paths: z.array(z.string()),
  hunks: z.array(z.string()).exactOptional(),
  reviewer: person.exactOptional(),
  rule: z.object({ tier: z.string(), policy: z.string() }).exactOptional(),
})

const range = z.object({ start: z.int(), end: z.int(), digest: z.string(), contributor: z.string() })

const change = z.object({
  path: z.string(),
  from: z.string().exactOptional(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  type: z.enum(['file', 'dir', 'symlink']).exactOptional(),
  mutation: z.string().exactOptional(),
  intents: z.array(z.string()),
  ranges: z.array(range),
})

const check = z.object({
  id: z.string(),
  command: z.string().exactOptional(),
  exitCode: z.int().nullable().exactOptional(),
  output: z.string().exactOptional(),
  tree: z.string().exactOptional(),
  isolation: z.string().exactOptional(),
})

const predicate = z.object({
  commit: z.string(),
  at: z.string(),
  session: z.string().nullable(),
  undoes: z.array(z.string()).exactOptional(),
  intents: z.array(z.string()),
  agent: z
    .object({
      tool: z.string().exactOptional(),
      toolVersion: z.string().exactOptional(),
      model: z.string().exactOptional(),
    })
    .nullable(),
  changes: z.array(change),
  deleted: z.array(z.string()),
  approvedBy: z.array(z.string()),
  verdicts: z.array(verdict),
  evidence: z.array(check),
  policy: z.string().nullable(),
  ledger: z.object({
    id: z.string(),
    head: place.extend({ line: z.int().positive() }),
    records: z.array(place).min(1),
    checkpoint: place.extend({ key: z.string() }).nullable(),
  }),
  git: z.object({ base: z.string().nullable(), commits: z.array(z.string()) }),
})

/** The fields of a predicate, also those that may be absent. */
export const FIELDS = predicate.keyof().options

export const statement = z.object({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256 }) })).min(1),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate,
})

export type Statement = z.output<typeof statement>
export type Predicate = z.output<typeof predicate>
export type AttestedVerdict = z.output<typeof verdict>
export type AttestedChange = z.output<typeof change>
export type AttestedCheck = z.output<typeof check>
export type RecordPlace = z.output<typeof place>

/** The statement about a commit. Its subjects are the files that the commit left; one that left none is about its record. */
export function statementOf(about: Predicate): Statement {
  const subject = about.changes.flatMap(({ path, after }) =>
    after === null ? [] : [{ name: path, digest: { sha256: after.replace(/^sha256:/, '') } }],
  )
  const records = about.ledger.records.map(({ seq, hash }) => ({
    name: `escrow-record:${seq}`,
    digest: { sha256: hash },
  }))
  return {
    _type: STATEMENT_TYPE,
    subject: subject.length > 0 ? subject : records,
    predicateType: PREDICATE_TYPE,
    predicate: about,
  }
}
