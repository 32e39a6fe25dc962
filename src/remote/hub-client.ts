import { z } from 'zod'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { oneLine } from '../core/printable.js'
import type { QueuedChange, SessionFacts } from '../hub/index.js'

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
  /** The ids of the hunks that it is on; absent: the whole change. */
  hunks: z.array(z.string()).optional(),
})
const DECISIONS = z.object({
  decisions: z.array(DECISION),
  landings: z
    .array(
      z.object({
        seq: z.number(),
        session: z.string(),
        state: z.enum(['landed', 'evicted']),
        branch: z.string(),
        commit: z.string().optional(),
        reason: z.string().optional(),
        changes: z.array(z.object({ key: z.string(), path: z.string() })),
      }),
    )
    // A hub of an earlier version lands nothing.
    .default([]),
  next: z.number(),
  last: z.number(),
})
const CLAIMED = z.object({ overlaps: z.array(z.object({ session: z.string(), prefix: z.string() })) })
const FAILURE = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.array(z.string()).optional() }),
})

export type Decisions = z.infer<typeof DECISIONS>
export type ReceivedDecision = Decisions['decisions'][number]
export type ReceivedLanding = Decisions['landings'][number]

/** A refusal of the hub. `away`: it does not answer now. */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal'
  constructor(
    readonly code: string,
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message)
  }
}

/** Milliseconds for a request, beyond what it asks the hub to wait. */
const TIMEOUT_MS = 30_000

interface Sent {
  readonly method?: string
  readonly json?: unknown
  readonly bytes?: Uint8Array
  /** Seconds. */
  readonly wait?: number
  readonly signal?: AbortSignal | undefined
}

export interface SubmissionMessage {
  readonly session: string
  readonly epoch: number
  readonly digest: string
  readonly revision: number
  readonly changes: readonly QueuedChange[]
  readonly facts?: SessionFacts
}

/** Speaks with a hub. Each answer is checked before it is used. */
export class HubClient {
  constructor(private readonly to: { readonly url: string; readonly token: string }) {}

  async me() {
    return ME.parse(await this.#ask('/v1/me'))
  }

  async open(session: string): Promise<number> {
    return LEASE.parse(await this.#ask(`/v1/sessions/${encodeURIComponent(session)}/open`, { json: {} })).epoch
  }

  async beat(session: string, epoch: number): Promise<void> {
    LEASE.parse(await this.#ask(`/v1/sessions/${encodeURIComponent(session)}/beat`, { json: { epoch } }))
  }

  async putIntent(id: string, json: { readonly name: string; readonly status: string }): Promise<void> {
    await this.#ask(`/v1/intents/${encodeURIComponent(id)}`, { method: 'PUT', json })
  }

  async putContent(digest: string, bytes: Uint8Array): Promise<void> {
    await this.#ask(`/v1/contents/${encodeURIComponent(digest)}`, { method: 'PUT', bytes })
  }

  async submit(json: SubmissionMessage): Promise<void> {
    await this.#ask('/v1/submissions', { json })
  }

  /** Returns the other sessions' claims that overlap. */
  async claim(json: { session: string; epoch: number; path: string; milliseconds: number }) {
    return CLAIMED.parse(await this.#ask('/v1/claims', { json })).overlaps
  }

  async release(json: { session: string; epoch: number; path: string }): Promise<void> {
    await this.#ask('/v1/claims', { method: 'DELETE', json })
  }

  /** @param wait seconds that the hub waits for a first one */
  async decisions(since: number, wait: number, signal?: AbortSignal): Promise<Decisions> {
    return DECISIONS.parse(await this.#ask(`/v1/decisions?hunks=1&since=${since}&wait=${wait}`, { wait, signal }))
  }

  async #ask(path: string, sent: Sent = {}): Promise<unknown> {
    const { json, bytes, wait = 0, signal } = sent
    const body = bytes === undefined ? (json === undefined ? null : JSON.stringify(json)) : new Uint8Array(bytes)
    const timeout = AbortSignal.timeout(TIMEOUT_MS + wait * 1000)
    const response = await fetch(`${this.to.url}${path}`, {
      method: sent.method ?? (body === null ? 'GET' : 'POST'),
      headers: { authorization: `Bearer ${this.to.token}` },
      body,
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    }).catch((error: unknown) => {
      throw new HubRefusal('away', `The hub at ${this.to.url} does not answer: ${describe(error)}`)
    })
    if (response.status === 204) return undefined
    const answer: unknown = await response.json().catch(() => undefined)
    // JSON has no undefined: the answer ended early, as it does when a hub is killed.
    if (response.ok && answer === undefined)
      throw new HubRefusal('away', `The answer of the hub at ${this.to.url} ended early.`)
    if (response.ok) return answer
    throw refusalOf(response.status, answer)
  }
}

function describe(error: unknown): string {
  return errorText(error instanceof Error && error.cause !== undefined ? error.cause : error)
}

function refusalOf(status: number, answer: unknown): Error {
  const failure = FAILURE.safeParse(answer)
  if (status === 401)
    return new EscrowError('access_denied', 'The hub does not know the token, or it was revoked.', {
      hint: "Give a new one with 'escrow remote add URL'.",
    })
  if (!failure.success)
    return new HubRefusal(status >= 500 ? 'away' : 'failed', `The hub answered with status ${status}.`)
  const { code, message, details } = failure.data.error
  return new HubRefusal(code, oneLine(message), details)
}
