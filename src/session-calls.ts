import type { ToolCall } from './core/api.js'
import { denialOf } from './core/denials.js'
import { newId } from './core/ids.js'
import { currentTool, runInTool, type ToolContext } from './core/tool-context.js'
import type { SessionJournal } from './session-journal.js'
import type { SessionSnapshots } from './session-snapshots.js'

export interface CallDeps {
  readonly journal: SessionJournal
  readonly snapshots: SessionSnapshots
  /** Throws the first denial of what a call is going to write. */
  readonly judge: (writes: NonNullable<ToolCall['writes']>) => void
  /** Waits for an approver that is being asked; true when it may have answered. */
  readonly answered: () => Promise<boolean>
  /** What held for this call alone is over. */
  readonly ended: () => void
  readonly intent: () => string | undefined
  readonly isClosed: () => boolean
  readonly sync: () => void
}

/** Runs tool calls in their context: a snapshot before each, a record and the stage on the medium after it. */
export class SessionCalls {
  /** Call id → what it has touched so far. */
  readonly #paths = new Map<string, Set<string>>()

  touched(path: string): void {
    this.#paths.get(currentTool()?.callId ?? '')?.add(path)
  }

  async run<T>(call: ToolCall, deps: CallDeps, work: () => Promise<T> | T): Promise<T> {
    const { tool, kind, host, id = newId() } = call
    const context: ToolContext = { tool, kind, callId: id, ...(host !== undefined && { host }) }
    const paths = new Set<string>()
    const snapshot = deps.snapshots.before(context)
    this.#paths.set(id, paths)
    let outcome = 'error'
    try {
      const result = await runInTool(context, async () => {
        await judged(call.writes ?? [], deps)
        return work()
      })
      outcome = 'ok'
      return result
    } catch (error) {
      if (denialOf(error)) outcome = 'denied'
      throw error
    } finally {
      this.#paths.delete(id)
      if (!deps.isClosed()) {
        snapshot.ended()
        deps.ended()
        deps.journal.toolCall({ tool, id, outcome, paths: [...paths].sort(), snapshot: snapshot.id }, deps.intent())
        deps.sync()
        deps.journal.drainSoon()
      }
    }
  }
}

/** Here, before a call's first write, a person can be waited for: what needs a word is judged again when there is one. */
async function judged(writes: NonNullable<ToolCall['writes']>, { judge, answered }: CallDeps): Promise<void> {
  for (;;) {
    try {
      judge(writes)
      return
    } catch (error) {
      if (denialOf(error)?.reason !== 'needs_approval' || !(await answered())) throw error
    }
  }
}
