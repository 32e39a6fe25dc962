import { z } from 'zod'
import { oneLine } from '../core/printable.js'
import type { QueuedChange, SessionFacts } from '../hub/index.js'
import type { LineFold } from '../trace/remote-chain.js'
import { askHub, type HubAddress, HubRefusal } from './ask.js'

const ME = z.object({
  tenant: z.string(),
  workspace: z.string(),
  name: z.string(),
  role: z.enum(['host', 'reviewer', 'admin']),
})
const LEASE = z.object({ epoch: z.number() })
export const DECISION = z.object({
  seq: z.number(),
  session: z.string(),
  key: z.string(),
  path: z.string(),
  verdict: z.enum(['approved', 'rejected']),
  reason: z.string().optional(),
  reviewer: z.string(),
  /** The people who approved it. A hub of an earlier version names only the reviewer. */
  approvers: z.array(z.string()).optional(),
  /** Others, who approved some of its hunks. A hub of an earlier version names nobody. */
  parts: z.array(z.object({ name: z.string(), hunks: z.array(z.string()) })).optional(),
  /** The ids of the hunks that it is on; absent: the whole change. */
  hunks: z.array(z.string()).optional(),
})
/** The ledger gets both, so they must have the form that git gives them. */
const BRANCH = z.string().regex(/^[^\p{Cc}]{1,1000}$/u)
const COMMIT = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
const DECISIONS = z.object({
  decisions: z.array(DECISION),
  landings: z
    .array(
      z.object({
        seq: z.number(),
        session: z.string(),
        state: z.enum(['landed', 'evicted']),
        branch: BRANCH,
        commit: COMMIT.optional(),
        reason: z.string().optional(),
        changes: z.array(z.object({ key: z.string(), path: z.string() })),
      }),
    )
    // A hub of an earlier version lands nothing.
    .default([]),
  next: z.int(),
  last: z.int(),
  /** The branch where a worker lands what is approved; absent: machines commit it. */
  lands: BRANCH.optional(),
})
const LEDGER = z.object({ lines: z.int().nonnegative(), sha256: z.string() })
const CLAIMED = z.object({ overlaps: z.array(z.object({ session: z.string(), prefix: z.string() })) })

export type Decisions = z.infer<typeof DECISIONS>
export type ReceivedDecision = Decisions['decisions'][number]
export type ReceivedLanding = Decisions['landings'][number]

export interface SubmissionMessage {
  readonly session: string
  readonly epoch: number
  readonly digest: string
  readonly revision: number
  readonly changes: readonly QueuedChange[]
  readonly facts?: SessionFacts
}

/** @throws HubRefusal if an answer does not fit its schema */
function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))].slice(0, 3).join(', ')
  throw new HubRefusal('failed', `The hub's answer has missing or invalid fields: ${oneLine(fields)}.`)
}

/** Speaks with a hub. Each answer is checked before it is used. */
export class HubClient {
  constructor(private readonly to: HubAddress) {}

  async me() {
    return read(ME, await askHub(this.to, '/v1/me'))
  }

  async open(session: string): Promise<number> {
    return read(LEASE, await askHub(this.to, `/v1/sessions/${encodeURIComponent(session)}/open`, { json: {} })).epoch
  }

  async beat(session: string, epoch: number): Promise<void> {
    read(LEASE, await askHub(this.to, `/v1/sessions/${encodeURIComponent(session)}/beat`, { json: { epoch } }))
  }

  async putIntent(id: string, json: { readonly name: string; readonly status: string }): Promise<void> {
    await askHub(this.to, `/v1/intents/${encodeURIComponent(id)}`, { method: 'PUT', json })
  }

  async putContent(digest: string, bytes: Uint8Array): Promise<void> {
    await askHub(this.to, `/v1/contents/${encodeURIComponent(digest)}`, { method: 'PUT', bytes })
  }

  async submit(json: SubmissionMessage): Promise<void> {
    await askHub(this.to, '/v1/submissions', { json })
  }

  /** Returns the other sessions' claims that overlap. */
  async claim(json: { session: string; epoch: number; path: string; milliseconds: number }) {
    return read(CLAIMED, await askHub(this.to, '/v1/claims', { json })).overlaps
  }

  async release(json: { session: string; epoch: number; path: string }): Promise<void> {
    await askHub(this.to, '/v1/claims', { method: 'DELETE', json })
  }

  /** @param wait seconds that the hub waits for a first one */
  async decisions(since: number, wait: number, signal?: AbortSignal): Promise<Decisions> {
    return read(DECISIONS, await askHub(this.to, `/v1/decisions?hunks=1&since=${since}&wait=${wait}`, { wait, signal }))
  }

  /** Which lines the hub has of this machine's ledger. Undefined: a hub of an earlier version, which keeps none. */
  async ledgerHead(): Promise<LineFold | undefined> {
    try {
      return read(LEDGER, await askHub(this.to, '/v1/ledger'))
    } catch (error) {
      if (error instanceof HubRefusal && error.code === 'not_found') return undefined
      throw error
    }
  }

  /** Appends whole lines after those that the hub has. Returns what it has then. */
  async appendLines({ lines, sha256 }: LineFold, bytes: Uint8Array): Promise<LineFold> {
    return read(LEDGER, await askHub(this.to, `/v1/ledger?after=${lines}&sha256=${sha256}`, { bytes }))
  }
}
