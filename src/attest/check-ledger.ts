import { realpathSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { EscrowError } from '../core/api-error.js'
import { sharedExists } from '../os/shared-files.js'
import { layoutAt } from '../os/workspace-state.js'
import { readVerified, type VerifiedLine } from '../trace/verified.js'
import { CommitReader, predicateOf } from './commit-reader.js'
import type { LedgerState, Problem } from './report.js'
import { FIELDS, type Predicate, type RecordPlace } from './statement.js'

export interface LedgerCheck {
  readonly state: LedgerState
  readonly problems: readonly Problem[]
}

/** Compares a statement with the ledger: it must have the head and every record, and say the same about the commit. */
export async function checkAgainstLedger(predicate: Predicate, root: string | undefined): Promise<LedgerCheck> {
  const layout = root === undefined ? undefined : layoutAt(realpathSync(root))
  if (layout === undefined || !sharedExists(layout.ledgerFile)) return { state: 'absent', problems: [] }
  try {
    const { reader } = await readVerified(layout, () => new AttestedReader(predicate))
    return reader.check()
  } catch (error) {
    if (error instanceof EscrowError && error.reason === 'ledger_corrupt') return failedCheck('damaged', error.message)
    throw error
  }
}

class AttestedReader {
  readonly #commit: CommitReader
  readonly #missing: Map<string, RecordPlace>
  readonly #head: string
  #headLine: number | undefined
  #id: string | null = null

  constructor(private readonly predicate: Predicate) {
    const { head, records } = predicate.ledger
    this.#commit = new CommitReader((id) => id === predicate.commit)
    this.#missing = new Map([head, ...records].map((place) => [placeKey(place), place]))
    this.#head = placeKey(head)
  }

  read(line: VerifiedLine): void {
    this.#commit.read(line)
    this.#id ??= line.ledger
    if (line.seq === undefined) return
    const key = placeKey({ seq: line.seq, hash: line.hash })
    if (key === this.#head) this.#headLine = line.line
    this.#missing.delete(key)
  }

  check(): LedgerCheck {
    const { predicate } = this
    const { id, head } = predicate.ledger
    if (this.#id !== id)
      return failedCheck('differs', `It is about ledger ${id}, and the ledger here is ${this.#id ?? 'empty'}.`)
    const [lost] = [...this.#missing.values()].sort((a, b) => a.seq - b.seq)
    if (lost !== undefined)
      return failedCheck(
        'damaged',
        `The ledger does not have record ${lost.seq} with the hash ${lost.hash}: it was cut or rewritten, or another branch is checked out.`,
      )
    if (this.#headLine !== head.line)
      return failedCheck(
        'damaged',
        `Record ${head.seq} is in line ${this.#headLine} of the ledger, and was in line ${head.line}.`,
      )
    const commit = this.#commit.commits.get(predicate.commit)
    if (commit === undefined) return failedCheck('differs', `The ledger has no commit ${predicate.commit}.`)
    const expected = predicateOf(commit, head)
    const fields = FIELDS.filter((field) => !isDeepStrictEqual(expected[field], predicate[field]))
    if (fields.length === 0) return { state: 'consistent', problems: [] }
    return failedCheck(
      'differs',
      `The ledger says something else about commit ${predicate.commit}: ${fields.join(', ')}.`,
    )
  }
}

function placeKey({ seq, hash }: RecordPlace): string {
  return `${seq}:${hash}`
}

function failedCheck(state: LedgerState, message: string): LedgerCheck {
  return { state, problems: [{ check: 'ledger', message }] }
}
