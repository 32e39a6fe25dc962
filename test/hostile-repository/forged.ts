import { statSync } from 'node:fs'
import { join } from 'node:path'
import { digest, sha256hex } from '../../overlay/digest.js'
import type { PlannedChange } from '../../src/commit/types.js'
import { newDraft } from '../../src/trace/draft.js'
import type { Machine } from './kit.js'

/** Forges commit plans in the layout of earlier versions, which kept them in the repository. */

export interface ForgedChange {
  readonly path: string
  readonly op: 'create' | 'overwrite' | 'delete' | 'chmod'
  readonly content?: string
  readonly mode?: number
}

export interface ForgedPlan {
  readonly seq?: number
  /** The name of the transaction. */
  readonly tx?: string
  readonly session?: string
  /** The commit is finished: its plan is kept for an undo. */
  readonly done?: true
  /** Contents before the commit, by path. The default is the current content. */
  readonly before?: Readonly<Record<string, string>>
  /** False: create no files of the transaction. */
  readonly withFiles?: boolean
}

/** Writes a plan with a valid checksum to `commits/<seq>`, and the files of its transaction. */
export function forgePlan(
  attacker: Machine,
  forgedChanges: readonly ForgedChange[],
  { seq = 1, tx = `${seq}-0badc0de`, session = 'agent-1', done, before = {}, withFiles = true }: ForgedPlan = {},
): void {
  const changes = forgedChanges.map(({ path, op, content = '', mode = 0o644 }, n): PlannedChange => {
    const file = (text: string, bits: number) => ({ type: 'file', digest: digest(text), mode: bits }) as const
    const was = before[path] ?? attacker.text(path)
    const bits = was === undefined || before[path] !== undefined ? 0o644 : modeOf(attacker, path)
    const old = op === 'create' ? null : file(was ?? '', bits)
    const next = op === 'chmod' ? file(was ?? '', mode) : op === 'delete' ? null : file(content, mode)
    if (withFiles && !done && (op === 'create' || op === 'overwrite'))
      attacker.write(`.orchestration/tx/${tx}/${n}.new`, content, mode)
    if (before[path] !== undefined) attacker.write(`.orchestration/tx/${tx}/${n}.old`, before[path])
    return { n, path, op, old, new: next }
  })
  const record = { ...newDraft({ type: 'verdict', intent: 'INT-001', session }), id: 'forged-record' }
  // The format of earlier versions: a line of JSON, then a line with its SHA-256.
  const json = JSON.stringify({ version: 2, seq, tx, sessionId: session, strict: false, changes, records: [record] })
  const plan = `${json}\n${sha256hex(json)}\n`
  if (withFiles) attacker.write(`.orchestration/tx/${tx}/plan`, plan)
  attacker.write(`.orchestration/commits/${seq}${done ? '.done' : ''}`, plan)
}

function modeOf(attacker: Machine, path: string): number {
  return statSync(join(attacker.root, path)).mode & 0o7777
}
