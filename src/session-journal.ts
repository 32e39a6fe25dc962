import type { AgentInfo } from './core/api.js'
import { EscrowError } from './core/api-error.js'
import type { Denial } from './core/denials.js'
import { newId } from './core/ids.js'
import { currentTool } from './core/tool-context.js'
import type { StageStore } from './stage-store.js'
import { type LedgerStore, newDraft, type RecordDraft, type TraceType } from './trace/index.js'

/**
 * What a session tells the ledger. Denials are noted in the stage's log as they happen, so that a crash forgets none,
 * and go to the ledger with the next flush, together with the tool calls that ended since.
 */
export class SessionJournal {
  #calls: RecordDraft[] = []
  #problem: string | undefined

  constructor(
    private readonly id: string,
    private readonly agent: AgentInfo | undefined,
    private readonly ledger: LedgerStore,
    private readonly store: () => StageStore,
  ) {}

  /** Why the ledger cannot be written, once an append has failed; until one succeeds nothing may be staged. */
  get problem(): string | undefined {
    return this.#problem
  }

  draft(type: TraceType, intent: string | undefined, more: Partial<RecordDraft> = {}): RecordDraft {
    return newDraft({ type, intent: intent ?? null, session: this.id, agent: this.agent, ...more })
  }

  denied(denial: Denial, intent: string | undefined): void {
    const tool = currentTool()
    const { reason, message } = denial
    this.store().note('denied', {
      id: newId(),
      at: new Date().toISOString(),
      reason,
      message,
      path: denial.file ?? null,
      intent: denial.intentId ?? intent ?? null,
      tool: tool?.tool ?? null,
      call: tool?.callId ?? null,
    })
  }

  toolCall(draft: RecordDraft): void {
    this.#calls.push(draft)
  }

  /** Appends one record now. Rejects as the ledger does. */
  async append(draft: RecordDraft): Promise<void> {
    await this.#write([draft])
  }

  /** Appends what has gathered. */
  async drain(): Promise<void> {
    const notes = this.store().notes('denied')
    const drafts = [...notes.map((note) => this.#deniedDraft(note as unknown as DeniedNote)), ...this.#calls]
    if (drafts.length === 0) return
    const calls = this.#calls.length
    await this.#write(drafts)
    this.#calls = this.#calls.slice(calls)
    if (notes.length > 0) this.store().noted('denied', notes.length)
  }

  #deniedDraft(note: DeniedNote): RecordDraft {
    return this.draft('denied', note.intent ?? undefined, {
      id: note.id,
      timestamp: note.at,
      reqId: note.call,
      reason: note.reason,
      words: note.message,
      ...(note.path !== null && { path: note.path }),
      ...(note.tool !== null && { data: { tool_name: note.tool } }),
    })
  }

  async #write(drafts: RecordDraft[]): Promise<void> {
    try {
      await this.ledger.append(drafts)
      this.#problem = undefined
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
      if (error instanceof EscrowError) throw error
      throw new EscrowError('ledger_unavailable', this.#problem, { cause: error })
    }
  }
}

interface DeniedNote {
  readonly id: string
  readonly at: string
  readonly reason: string
  readonly message: string
  readonly path: string | null
  readonly intent: string | null
  readonly tool: string | null
  readonly call: string | null
}
