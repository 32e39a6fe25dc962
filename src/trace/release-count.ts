import type { ReleasedCounts, ReleaseTotals, TraceRecord } from '../core/api.js'
import { ownRecordOf } from './own-record.js'

const PEOPLE = Symbol('people')
type Approver = string | typeof PEOPLE

/** The commits of an approver, each with its number of changes. */
type Commits = Map<string, number>

/** Counts who released the committed changes: people, or the tiers of a rule. */
export class ReleaseCount {
  /** For a path of a session: the tier of the approval that is in force. */
  readonly #tiers = new Map<string, string>()
  readonly #commits = new Map<Approver, Commits>()
  /**
   * For a path of a session: the content that a landing queue put on a branch, which a commit here may still write to
   * the disk.
   */
  readonly #landed = new Map<string, Landed>()
  readonly #undone = new Set<string>()

  apply(record: TraceRecord): void {
    const verdict = ownRecordOf(record, 'verdict')
    for (const path of verdict?.paths ?? []) {
      const key = keyOf(record, path)
      if (verdict?.verdict === 'approved' && verdict.rule !== undefined) this.#tiers.set(key, verdict.rule.tier)
      else this.#tiers.delete(key)
    }
    const commit = ownRecordOf(record, 'commit')
    if (commit !== undefined) this.#count(record, commit)
    const undo = ownRecordOf(record, 'undo')
    for (const { path } of undo?.changes ?? []) this.#tiers.delete(keyOf(record, path))
    for (const tx of [undo?.undoes ?? []].flat()) this.#undone.add(tx)
  }

  totals(): ReleaseTotals {
    const tiers = [...this.#commits].flatMap(([approver, commits]) =>
      typeof approver === 'string' ? [[approver, this.#sum(commits)] as const] : [],
    )
    const byTier = tiers.toSorted(([a, x], [b, y]) => y.changes - x.changes || (a < b ? -1 : 1))
    return { byPeople: this.#sum(this.#commits.get(PEOPLE) ?? new Map()), byTier: Object.fromEntries(byTier) }
  }

  /** A long commit has several records with one `tx`. A change that landed and is then committed here counts once. */
  #count(record: TraceRecord, { tx, landed, changes = [] }: CommitFields): void {
    const id = tx ?? JSON.stringify(record.id)
    for (const { path, after } of changes) {
      const key = keyOf(record, path)
      const approver = this.#tiers.get(key) ?? PEOPLE
      const earlier = this.#landed.get(key)
      if (earlier?.after === after) this.#add(earlier, -1)
      this.#add({ approver, id }, 1)
      if (landed !== undefined) this.#landed.set(key, { approver, id, after })
      else {
        this.#landed.delete(key)
        this.#tiers.delete(key)
      }
    }
  }

  #add({ approver, id }: Pick<Landed, 'approver' | 'id'>, changes: number): void {
    const commits: Commits = this.#commits.get(approver) ?? new Map()
    const count = (commits.get(id) ?? 0) + changes
    if (count === 0) commits.delete(id)
    else this.#commits.set(approver, commits.set(id, count))
  }

  #sum(commits: Commits): ReleasedCounts {
    const changes = [...commits.values()].reduce((sum, count) => sum + count, 0)
    return { commits: commits.size, changes, undone: [...commits.keys()].filter((tx) => this.#undone.has(tx)).length }
  }
}

type CommitFields = Pick<NonNullable<ReturnType<typeof ownRecordOf<'commit'>>>, 'tx' | 'landed' | 'changes'>

interface Landed {
  readonly approver: Approver
  /** The commit that it is counted for. */
  readonly id: string
  readonly after: string | null
}

function keyOf({ session_id: session }: TraceRecord, path: string): string {
  return JSON.stringify([session, path])
}
