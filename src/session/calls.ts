import type { Attribution } from '../../overlay/index.js'
import type { ToolCall } from '../core/api.js'
import { type Denial, type DenialError, denialError, denialOf } from '../core/denials.js'
import { newId } from '../core/ids.js'
import type { MutationClass } from '../core/mutation.js'
import { currentTool, runInTool, type ToolContext } from '../core/tool-context.js'
import { missingMutationClass } from '../policy/index.js'
import type { LedgerOutbox } from '../stage/index.js'
import type { SessionSnapshots } from './snapshots.js'

export interface CallDeps {
  readonly journal: LedgerOutbox
  readonly snapshots: SessionSnapshots
  /** The first denial of what a call is going to write, told to the journal. */
  readonly judge: (writes: NonNullable<ToolCall['writes']>) => DenialError | undefined
  /** Keeps what a call declares its writes to do. */
  readonly declare: (call: string, declared: MutationClass) => void
  readonly requiresClass: () => boolean
  /** What is said to a call that changes what no path tells of. */
  readonly withoutPath: () => Denial | undefined
  readonly denied: (denial: Denial) => void
  /** Merges what is staged with a disk that has moved on below it. */
  readonly merge: (reads: NonNullable<ToolCall['reads']>) => Promise<void>
  /** Waits for an approver that is being asked; true when it may have answered. */
  readonly answered: () => Promise<boolean>
  /** Formats what the call has written. */
  readonly format: (context: ToolContext, paths: ReadonlySet<string>) => Promise<void>
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
  /** The agents of calls that were told whose they are. */
  readonly #agents = new WeakMap<ToolContext, number>()
  /** Calls whose host runs the tool itself, the latest last. */
  readonly #ambient: ToolContext[] = []

  /** The tool call a call of `fs` belongs to. */
  readonly current = (): ToolContext | undefined => currentTool() ?? this.#ambient.at(-1)

  /** Whom an edit made now is credited to: the agent of its tool call, else `present`. */
  credit(intent: string | undefined, present: number): Attribution {
    const tool = this.current()
    const agent = (tool && this.#agents.get(tool)) ?? present
    return { ...(intent !== undefined && { intent }), ...(tool?.callId && { call: tool.callId }), agent }
  }

  /** The tool call under way is this agent's, whoever begins another meanwhile. */
  madeBy(agent: number): void {
    const tool = this.current()
    if (tool) this.#agents.set(tool, agent)
  }

  onTouch(path: string): void {
    this.#paths.get(this.current()?.callId ?? '')?.add(path)
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
        await admit(call, id, deps)
        if (call.declares !== undefined) deps.declare(id, call.declares)
        if (call.reads !== undefined) await deps.merge(call.reads)
        if (call.ambient === true) this.#ambient.push(context)
        const done = await work()
        await deps.format(context, new Set(paths))
        return done
      })
      outcome = 'ok'
      return result
    } catch (error) {
      if (denialOf(error)) outcome = 'denied'
      throw error
    } finally {
      this.#paths.delete(id)
      const at = this.#ambient.indexOf(context)
      if (at !== -1) this.#ambient.splice(at, 1)
      if (!deps.isClosed()) {
        snapshot.endCall()
        deps.ended()
        const told = { tool, id, outcome, paths: [...paths].sort(), snapshot: snapshot.id, declares: call.declares }
        deps.journal.toolCall(told, deps.intent())
        deps.sync()
        deps.journal.drainSoon()
      }
    }
  }
}

/**
 * Before a call's first write: the gate is asked, then policy once more, as a person may have taken a while to answer.
 * @throws DenialError what policy denied stands, whatever the gate makes of it.
 */
async function admit(call: ToolCall, id: string, deps: CallDeps): Promise<void> {
  let denied: DenialError | undefined
  const judge = async () => {
    denied ??= await judgeCall(call, deps)
    return denied?.denial
  }
  const refused = await call.gate?.({ id, judge })
  if (denied === undefined && refused !== undefined) deps.denied(refused)
  const error = denied ?? (refused ? denialError(refused, 'open', refused.file) : await judgeCall(call, deps))
  if (error) throw error
}

/** Here, before a call's first write, a person can be waited for: what needs a word is judged again when there is one. */
async function judgeCall(call: ToolCall, deps: CallDeps): Promise<DenialError | undefined> {
  const denial = (call.needsIntent === true ? deps.withoutPath() : undefined) ?? missingClass(call, deps)
  if (denial) {
    deps.denied(denial)
    return denialError(denial, 'open')
  }
  for (;;) {
    const error = deps.judge(call.writes ?? [])
    if (error?.reason !== 'needs_approval' || !(await deps.answered())) return error
  }
}

function missingClass({ writes = [], declares }: ToolCall, { requiresClass }: CallDeps): Denial | undefined {
  // A directory has no content that a class could tell of.
  const changes = writes.some(({ effect }) => effect !== 'mkdir')
  return changes && declares === undefined && requiresClass() ? missingMutationClass() : undefined
}
