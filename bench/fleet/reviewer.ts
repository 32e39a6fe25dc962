import { setTimeout as sleep } from 'node:timers/promises'
import { digest } from '../../overlay/index.js'
import type { SubmissionDetails, SubmissionSummary } from '../../src/hub/index.js'
import type { Random } from './random.js'

/** One approval in ten times is a rejection. */
const REJECTED_OF_TEN = 1
const PAUSE_MS = 200

/** A person at the hub, who reads each content and then decides. */
export class Reviewer {
  /** The approvals, as `session path digest`. One with a lost answer counts too, because it may have been recorded. */
  readonly approved = new Set<string>()
  /** Contents of the hub with a wrong digest. */
  readonly forged: string[] = []
  decisions = 0

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly random: Random,
  ) {}

  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // The network or the hub may be unavailable.
      await this.#pass().catch(() => undefined)
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async #pass(): Promise<void> {
    const queue = (await (await this.#ask('/queue')).json()) as SubmissionSummary[]
    for (const { id, pending } of queue) if (pending > 0) await this.#decide(id).catch(() => undefined)
  }

  async #decide(id: string): Promise<void> {
    const { session, changes } = (await (await this.#ask(`/queue/${id}`)).json()) as SubmissionDetails
    for (const { key, path, after, verdict } of changes) {
      if (verdict !== undefined || after === null) continue
      const content = new Uint8Array(await (await this.#ask(`/contents/${after}`)).arrayBuffer())
      if (digest(content) !== after) {
        this.forged.push(`${session} ${path}`)
        continue
      }
      const isRejected = this.random.below(10) < REJECTED_OF_TEN
      if (!isRejected) this.approved.add(`${session} ${path} ${after}`)
      const decision = { keys: [key], verdict: isRejected ? 'rejected' : 'approved', reason: 'Once more, please.' }
      await this.#ask(`/queue/${id}/decisions`, JSON.stringify(decision))
      this.decisions += 1
    }
  }

  async #ask(path: string, body: string | null = null): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}` }
    const method = body === null ? 'GET' : 'POST'
    const response = await fetch(`${this.url}/v1${path}`, { method, headers, body })
    if (!response.ok) throw new Error(`The hub answered with ${response.status}.`)
    return response
  }
}
