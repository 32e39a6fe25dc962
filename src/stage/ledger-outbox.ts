import type { JsonValue } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { Denial } from '../core/denials.js'
import { errorText } from '../core/error-text.js'
import type { AgentInfo } from '../core/people.js'
import { SerialQueue } from '../core/serial-queue.js'
import type { ToolContext } from '../core/tool-context.js'
import { MAX_SPOOLED, type SpooledReports } from '../terminal/index.js'
import {
  type DataOf,
  type DraftFields,
  type LedgerStore,
  newDraft,
  parseDraft,
  type TraceType,
} from '../trace/index.js'
import type { StageStore } from './store.js'

/** The fields of a command's record, without the fields that all records share. */
export type CommandRecord = DataOf<'command'>

/**
 * The session's records for the ledger. Denials and tool calls are written to the stage's log as they happen, so that a
 * crash loses none. They are appended to the ledger soon after: in the background when a tool call ends, at the latest
 * by a flush.
 */
export class LedgerOutbox {
  #problem: string | undefined
  readonly #queue = new SerialQueue()
  /** The denials since the last drain, and how often each was repeated. */
  readonly #denials = new Map<string, { again: number; readonly report: (again: number) => void }>()
  /** The number of notes from an earlier process. They may already be in the ledger. */
  #inherited: number

  constructor(
    private readonly id: string,
    private readonly agent: { readonly known: AgentInfo | undefined },
    private readonly ledger: LedgerStore,
    private readonly store: StageStore,
    private readonly tool: () => ToolContext | undefined,
  ) {
    this.#inherited = store.queued(KIND).length
  }

  /** The error of the last failed append. Until an append succeeds, nothing may be staged. */
  get problem(): string | undefined {
    return this.#problem
  }

  /**
   * The first denial of a kind is written to the log at once. Repetitions are counted, and the next drain records the
   * count.
   */
  recordDenial(denial: Denial, intent: string | undefined): void {
    const tool = this.tool()
    const { reason, message, file } = denial
    const by = denial.intentId ?? intent
    const data = { ...(tool && { tool_name: tool.tool }) }
    const more = { reqId: tool?.callId ?? null, reason, words: message, ...defined({ path: file }) }
    const key = JSON.stringify([more, by])
    const known = this.#denials.get(key)
    if (known) known.again++
    else {
      this.#denials.set(key, {
        again: 0,
        report: (again) => this.#note('denied', by, { ...more, data: { ...data, again } }),
      })
      this.#note('denied', by, { ...more, ...(tool && { data }) })
    }
  }

  /** Records denials that a command of the session reported, with the command's own messages. */
  recordReported(denials: readonly Denial[], intent: string | undefined): void {
    for (const { reason, message, file, intentId, tool } of denials) {
      const more = { reason, words: message, ...defined({ path: file }) }
      const data = { ...defined({ tool_name: tool }), reported: true }
      this.#note('denied', intentId ?? intent, { ...more, data })
    }
  }

  /** Records the number of further denials that a command reported. */
  recordUnreported({ more, unread }: Pick<SpooledReports, 'more' | 'unread'>, intent: string | undefined): void {
    if (more + unread === 0) return
    const bytes = unread === 0 ? '' : `, and ${unread} bytes that were not read`
    const message = `Limit Exceeded: ${more} more refusals occurred${bytes}; ${MAX_SPOOLED} of one mount are recorded.`
    const data = { reported: true, more, ...(unread > 0 && { unread }) }
    this.#note('denied', intent, { reason: 'limit_exceeded', words: message, data })
  }

  /** @param call `snapshot`: the id of the snapshot taken before the call */
  toolCall(
    call: {
      tool: string
      id: string
      outcome: string
      paths: string[]
      snapshot: string
      declares?: string | undefined
      why?: string | undefined
    },
    intent: string | undefined,
  ): void {
    const { tool, id, outcome, paths, snapshot, declares, why } = call
    this.#note('tool_call', intent, {
      reqId: id,
      paths,
      data: {
        tool_name: tool,
        outcome,
        snapshot,
        ...(declares && { declares }),
        ...(why && { why: [...why].slice(0, MAX_WHY).join('') }),
      },
    })
  }

  /** Appends one record now, after the waiting ones. Rejects as the ledger does. */
  async append<T extends TraceType>(type: T, intent: string | undefined, more: DraftFields<T> = {}): Promise<void> {
    this.#note(type, intent, more)
    await this.drain()
  }

  /** Appends the waiting records in order, one batch at a time. */
  drain(): Promise<void> {
    return this.#queue.run(() => this.#drainNow())
  }

  /** Appends in the background. A failure shows in {@link problem} and at the next drain. */
  drainSoon(): void {
    this.drain().catch(() => undefined)
  }

  #note<T extends TraceType>(type: T, intent: string | undefined, more: DraftFields<T>): void {
    const common = { intent: intent ?? null, session: this.id, agent: this.agent.known }
    const draft = newDraft({ type, ...common, ...more })
    this.store.enqueue(KIND, JSON.parse(JSON.stringify(draft)) as JsonValue)
  }

  async #drainNow(): Promise<void> {
    for (const { again, report } of this.#denials.values()) if (again > 0) report(again)
    this.#denials.clear()
    const drafts = this.store.queued(KIND).map(parseDraft)
    if (drafts.length === 0) return
    try {
      for (const draft of drafts.slice(0, this.#inherited)) await this.ledger.appendOnce(draft)
      if (drafts.length > this.#inherited) await this.ledger.append(drafts.slice(this.#inherited))
      this.#problem = undefined
    } catch (error) {
      this.#problem = errorText(error)
      // Some of the records may have been written, so a retry looks each one up first.
      this.#inherited = drafts.length
      throw error instanceof EscrowError
        ? error
        : new EscrowError('ledger_unavailable', this.#problem, { cause: error })
    }
    this.#inherited = 0
    this.store.ack(KIND, drafts.length)
  }
}

const KIND = 'ledger'
/** Characters of an agent's reason that are kept. */
const MAX_WHY = 500
