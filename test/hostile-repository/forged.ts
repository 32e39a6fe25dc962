import { statSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../../overlay/digest.js'
import { encodePlan } from '../../src/commit/plan.js'
import type { Plan, PlannedChange } from '../../src/commit/types.js'
import { newDraft } from '../../src/trace/draft.js'
import type { Machine } from './kit.js'

/** What an attacker makes by hand, as versions before kept it in the repository. */

export interface Forged {
  readonly path: string
  readonly op: 'create' | 'overwrite' | 'delete' | 'chmod'
  readonly content?: string
  readonly mode?: number
}

export interface ForgedPlan {
  readonly seq?: number
  /** The transaction's name. */
  readonly tx?: string
  readonly session?: string
  /** Of a commit that is done: its plan stays for who undoes it. */
  readonly done?: true
  /** What stood at a path before, in place of what stands there. */
  readonly before?: Readonly<Record<string, string>>
  /** False: no file of the transaction is made. */
  readonly fresh?: boolean
}

/** A plan with a right checksum, published as `commits/<seq>`, and the files of its transaction. */
export function forgePlan(
  attacker: Machine,
  forged: readonly Forged[],
  { seq = 1, tx = `${seq}-0badc0de`, session = 'agent-1', done, before = {}, fresh = true }: ForgedPlan = {},
): void {
  const changes = forged.map(({ path, op, content = '', mode = 0o644 }, n): PlannedChange => {
    const file = (text: string, bits: number) => ({ type: 'file', digest: digest(text), mode: bits }) as const
    const was = before[path] ?? attacker.text(path)
    const bits = was === undefined || before[path] !== undefined ? 0o644 : modeOf(attacker, path)
    const old = op === 'create' ? null : file(was ?? '', bits)
    const next = op === 'chmod' ? file(was ?? '', mode) : op === 'delete' ? null : file(content, mode)
    if (fresh && !done && (op === 'create' || op === 'overwrite'))
      attacker.write(`.orchestration/tx/${tx}/${n}.new`, content, mode)
    if (before[path] !== undefined) attacker.write(`.orchestration/tx/${tx}/${n}.old`, before[path])
    return { n, path, op, old, new: next }
  })
  const record = { ...newDraft({ type: 'verdict', intent: 'INT-001', session }), id: 'forged-record' }
  const plan: Plan = { version: 2, seq, tx, sessionId: session, strict: false, changes, records: [{ ...record }] }
  if (fresh) attacker.write(`.orchestration/tx/${tx}/plan`, encodePlan(plan))
  attacker.write(`.orchestration/commits/${seq}${done ? '.done' : ''}`, encodePlan(plan))
}

function modeOf(attacker: Machine, path: string): number {
  return statSync(join(attacker.root, path)).mode & 0o7777
}
