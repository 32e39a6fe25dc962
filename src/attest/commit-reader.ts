import type { TraceRecord } from '../core/api.js'
import { defined } from '../core/defined.js'
import { isObject } from '../core/is-object.js'
import { ownRecordOf, type RecordedChange } from '../trace/index.js'
import type { VerifiedLine } from '../trace/verified.js'
import type { AttestedChange, AttestedCheck, AttestedVerdict, Predicate, RecordPlace } from './statement.js'

type Commit = NonNullable<ReturnType<typeof commitIn>>

/** A commit as the ledger has it, without the ledger's head. */
export interface ReadCommit {
  readonly id: string
  readonly ledger: string
  /** One record, or the parts of a long one. */
  readonly records: { readonly place: RecordPlace; readonly raw: TraceRecord; readonly own: Commit }[]
  /** The decisions on its paths since their last commit, in order. */
  readonly verdicts: AttestedVerdict[]
  readonly checks: AttestedCheck[]
  checkpoint: (RecordPlace & { readonly key: string }) | null
}

export interface LedgerEnd extends RecordPlace {
  readonly line: number
}

/** Collects commits, and the decisions and checks that they rest on, while a ledger is read. */
export class CommitReader {
  readonly commits = new Map<string, ReadCommit>()
  /** The newest record of ours. */
  head: LedgerEnd | undefined
  /** Session → path → the decisions on it since its last commit. */
  readonly #verdicts = new Map<string, Map<string, AttestedVerdict[]>>()
  /** Session and path → what a landing queue put on a branch, and how many of the decisions are on it or on earlier contents. */
  readonly #landed = new Map<string, { readonly after: string | null; readonly decisions: number }>()
  readonly #checks = new Map<string, AttestedCheck>()
  #last: { readonly hash: string; readonly commit: ReadCommit } | undefined

  /** @param isWanted whether a commit is kept; the others are only followed */
  constructor(private readonly isWanted: (id: string) => boolean) {}

  read({ record, seq, hash, line, ledger }: VerifiedLine): void {
    if (seq === undefined || ledger === null) return
    this.head = { seq, hash, line }
    const last = this.#last
    this.#last = undefined
    const own = ownRecordOf(record, 'verdict', 'check', 'commit', 'undo', 'checkpoint')
    if (own === undefined) return
    const place = { seq, hash }
    if (own.type === 'verdict') this.#keepVerdict(record, place)
    else if (own.type === 'check') this.#keepCheck(record)
    else if (own.type === 'checkpoint') {
      if (last !== undefined && own.signed_hash === last.hash && own.key !== undefined)
        last.commit.checkpoint = { seq, hash, key: own.key }
    } else this.#keepCommit(record, own, place, ledger)
  }

  #keepVerdict(record: TraceRecord, place: RecordPlace): void {
    const own = ownRecordOf(record, 'verdict')
    // An answer to a question is about no staged content.
    if (own?.verdict == null || own.question !== undefined) return
    const { verdict, paths = [], hunks, rule, reviewer } = own
    const kept: AttestedVerdict = {
      record: place,
      at: timeOf(record),
      verdict,
      paths: [...paths],
      ...defined({
        hunks: hunks && [...hunks],
        rule,
        reviewer: rule === undefined ? reviewer && personOf(reviewer) : undefined,
      }),
    }
    const session = sessionOf(record) ?? ''
    const byPath = this.#verdicts.get(session) ?? new Map<string, AttestedVerdict[]>()
    this.#verdicts.set(session, byPath)
    for (const path of paths) {
      const known = byPath.get(path)
      if (known === undefined) byPath.set(path, [kept])
      else known.push(kept)
    }
  }

  #keepCheck(record: TraceRecord): void {
    const own = ownRecordOf(record, 'check')
    if (own?.check === undefined) return
    const { check, command, exit_code: exitCode, output, tree, isolation } = own
    this.#checks.set(check, { id: check, ...defined({ command, exitCode, output, tree, isolation }) })
  }

  #keepCommit(raw: TraceRecord, own: Commit, place: RecordPlace, ledger: string): void {
    const { tx: id, changes = [], evidence = [] } = own
    const session = sessionOf(raw) ?? ''
    // A commit here may still write the same changes to the disk, by the same decisions.
    if (own.type === 'commit' && own.landed !== undefined) {
      this.#keepLanded(session, changes)
      return
    }
    const verdicts = this.#takeVerdicts(session, changes)
    if (id == null || !this.isWanted(id)) return
    const commit = this.commits.get(id) ?? { id, ledger, records: [], verdicts: [], checks: [], checkpoint: null }
    this.commits.set(id, commit)
    commit.records.push({ place, raw, own })
    const known = new Set(commit.verdicts.map(({ record }) => record.seq))
    commit.verdicts.push(...verdicts.filter(({ record }) => !known.has(record.seq)))
    const checks = evidence.filter((check) => commit.checks.every((each) => each.id !== check))
    commit.checks.push(...checks.map((check) => this.#checks.get(check) ?? { id: check }))
    this.#last = { hash: place.hash, commit }
  }

  #keepLanded(session: string, changes: readonly Changed[]): void {
    const byPath = this.#verdicts.get(session)
    for (const change of changes) {
      const verdicts = this.#decisionsOn(session, change)
      byPath?.set(change.path, verdicts)
      this.#landed.set(landedKey(session, change.path), { after: change.after, decisions: verdicts.length })
    }
  }

  /** The decisions on a path, without those on another content that has landed. */
  #decisionsOn(session: string, { path, after }: Changed): AttestedVerdict[] {
    const verdicts = this.#verdicts.get(session)?.get(path) ?? []
    const landed = this.#landed.get(landedKey(session, path))
    return landed === undefined || landed.after === after ? verdicts : verdicts.slice(landed.decisions)
  }

  #takeVerdicts(session: string, changes: readonly Changed[]): AttestedVerdict[] {
    const byPath = this.#verdicts.get(session)
    if (byPath === undefined) return []
    const found = new Map<number, AttestedVerdict>()
    for (const change of changes) {
      for (const verdict of this.#decisionsOn(session, change)) found.set(verdict.record.seq, verdict)
      byPath.delete(change.path)
      this.#landed.delete(landedKey(session, change.path))
    }
    if (byPath.size === 0) this.#verdicts.delete(session)
    return [...found.values()].sort((a, b) => a.record.seq - b.record.seq)
  }
}

/** The data that is attested about a commit. The same ledger up to the same head always gives the same data. */
export function predicateOf(commit: ReadCommit, head: LedgerEnd): Predicate {
  const [first] = commit.records
  if (first === undefined) throw new Error('A commit has a record.')
  const { raw, own } = first
  const changes = commit.records.flatMap(changesOf)
  const { tool, tool_version: toolVersion, model } = own.agent ?? {}
  const undoes = 'undoes' in own && own.undoes !== undefined ? [own.undoes].flat() : undefined
  const { checkpoint } = commit
  return {
    commit: commit.id,
    at: timeOf(raw),
    session: sessionOf(raw) ?? null,
    ...defined({ undoes }),
    intents: unique([...(own.intent ? [own.intent] : []), ...changes.flatMap(({ intents }) => intents)]),
    agent: own.agent === undefined ? null : defined({ tool, toolVersion, model }),
    changes,
    deleted: changes.flatMap(({ path, from, after }) => [...(after === null ? [path] : []), ...(from ? [from] : [])]),
    approvedBy: unique(commit.records.flatMap((record) => record.own.approved_by ?? [])),
    verdicts: commit.verdicts,
    evidence: commit.checks,
    policy: own.policy ?? null,
    ledger: {
      id: commit.ledger,
      head,
      records: commit.records.map(({ place }) => place),
      checkpoint: checkpoint !== null && checkpoint.seq <= head.seq ? checkpoint : null,
    },
    git: { base: revisionOf(raw), commits: unique(commit.records.flatMap((record) => record.own.git?.commits ?? [])) },
  }
}

type Changed = Pick<RecordedChange, 'path' | 'after'>

function landedKey(session: string, path: string): string {
  return JSON.stringify([session, path])
}

function commitIn(record: TraceRecord) {
  return ownRecordOf(record, 'commit', 'undo')
}

function changesOf({ raw, own }: ReadCommit['records'][number]): AttestedChange[] {
  const files = new Map(listOf(raw.files).map((file) => [file.path, file]))
  return (own.changes ?? []).map(({ path, from, before, after, type, mutation }) => {
    const file = files.get(path)
    const intents = listOf(file?.related).flatMap(({ value }) => (typeof value === 'string' ? [value] : []))
    const ranges = listOf(file?.ranges).flatMap((range) => rangeOf(range, file?.contributor) ?? [])
    return { path, before, after, intents, ranges, ...defined({ type, from, mutation: mutation?.class }) }
  })
}

function rangeOf(range: Record<string, unknown>, ofFile: unknown): AttestedChange['ranges'][number] | undefined {
  const { start_line: start, end_line: end, content_hash: digest } = range
  const contributor = isObject(range.contributor) ? range.contributor : ofFile
  const type = isObject(contributor) && typeof contributor.type === 'string' ? contributor.type : 'unknown'
  const isWhole = typeof start === 'number' && typeof end === 'number' && typeof digest === 'string'
  return isWhole ? { start, end, digest, contributor: type } : undefined
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function personOf({ name, email }: { name: string; email?: string | undefined }) {
  return { name, ...defined({ email }) }
}

function sessionOf({ session_id: session }: TraceRecord): string | undefined {
  return typeof session === 'string' ? session : undefined
}

function timeOf({ timestamp }: TraceRecord): string {
  return typeof timestamp === 'string' ? timestamp : ''
}

function revisionOf({ vcs }: TraceRecord): string | null {
  return isObject(vcs) && typeof vcs.revision === 'string' ? vcs.revision : null
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
