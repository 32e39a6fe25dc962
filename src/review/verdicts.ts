import type { StagedChange } from '../../overlay/index.js'
import type { ChangeState, Verdict } from '../core/api.js'
import type { Reviewer } from '../core/people.js'
import {
  type AmendRecord,
  type HunkRef,
  keyOf,
  matches,
  type ReviewEntry,
  type ReviewRecord,
  type VerdictRecord,
  verdictOf,
} from './record.js'

/** The verdicts that stand. */
export interface VerdictState {
  of(change: StagedChange): CurrentVerdicts
}

/** What has been said of one change and still counts. */
export interface CurrentVerdicts {
  /** The latest word on the change as a whole: none where it was on another base or other content. */
  readonly file?: Verdict
  /** By id: words on single hunks, given after the latest on the whole. Whether there is such a hunk is not known here. */
  readonly hunks: ReadonlyMap<string, Verdict>
  /** Somebody spoke of the change as a whole, and it is another by now. */
  readonly isVoid: boolean
  /** That word was an approval. */
  readonly lostApproval: boolean
}

export function stateOf(verdict: Verdict | undefined): ChangeState {
  return verdict === undefined || verdict.verdict === 'withdrawn' ? 'pending' : verdict.verdict
}

/** A reviewer's no, as the agent's side hears of it. */
export interface Rejection {
  /** Of the verdict. */
  readonly id: string
  readonly path: string
  /** The hunks it is about; undefined: all of the change. */
  readonly hunks?: readonly HunkRef[]
  readonly reason: string
  readonly by: Reviewer
  readonly at: string
  /** True while no later verdict, and no commit, has been on what it is about. */
  readonly standing: boolean
  /** All of it was taken back. */
  readonly withdrawn: boolean
  /** What took it back, or parts of it. */
  readonly takenBack: readonly Withdrawn[]
}

/** A word that took back a no. */
export interface Withdrawn {
  readonly id: string
  /** Undefined: all that was left of it. */
  readonly hunks?: readonly HunkRef[]
}

/** The words on one path that no later one has replaced. */
class Words {
  file: { readonly record: VerdictRecord; readonly entry: ReviewEntry } | undefined
  readonly hunks = new Map<string, VerdictRecord>()
  /** By id, of hunks that were divided: what is said of one is said of its pieces. */
  readonly #pieces = new Map<string, readonly string[]>()

  say(record: VerdictRecord, entry: ReviewEntry): void {
    if (entry.hunks) for (const id of this.#piecesOf(entry.hunks)) this.hunks.set(id, record)
    else {
      this.file = { record, entry }
      this.#clearHunks(new Set(entry.except))
    }
  }

  /**
   * A commit or a discard uses up what was said of what it took. A no to a hunk outlives a commit of the file: it took
   * no such hunk, and who wrote the commit down for a dead committer did not know that it was of a part.
   */
  consume(kind: ReviewRecord['kind'], entry: ReviewEntry): void {
    if (entry.hunks === undefined && kind === 'committed') this.#forgetApprovals()
    else if (entry.hunks === undefined) this.#clearHunks(new Set(entry.except))
    else for (const id of this.#piecesOf(entry.hunks)) this.hunks.delete(id)
    this.file = undefined
  }

  split(pieces: readonly string[], entry: ReviewEntry): void {
    for (const { id } of entry.hunks ?? []) {
      this.#pieces.set(id, pieces)
      const word = this.hunks.get(id)
      this.hunks.delete(id)
      if (word) for (const piece of pieces) this.hunks.set(piece, word)
    }
  }

  /** What was approved was not approved as it is merged. A no to a hunk stands. */
  amend(record: AmendRecord, entry: ReviewEntry): void {
    if (record.cause === 'merge') this.#forgetApprovals()
    else for (const id of this.#piecesOf(entry.hunks ?? [])) this.hunks.delete(id)
  }

  #piecesOf(hunks: readonly HunkRef[]): string[] {
    return hunks.flatMap(({ id }) => this.#pieces.get(id) ?? [id])
  }

  #forgetApprovals(): void {
    for (const [id, word] of this.hunks) if (word.verdict === 'approved') this.hunks.delete(id)
  }

  /** A word on the whole is one on each hunk: were it to become void, what was said before it must not come back. */
  #clearHunks(except: ReadonlySet<string>): void {
    for (const id of this.hunks.keys()) if (!except.has(id)) this.hunks.delete(id)
  }
}

/** Reads a review log as the verdicts that stand: the latest word on each path and each hunk. */
export function verdictState(records: readonly ReviewRecord[]): VerdictState {
  const words = new Map<string, Words>()
  const verdicts = new Map<VerdictRecord, Verdict>()
  const cachedVerdict = (record: VerdictRecord): Verdict => {
    const verdict = verdicts.get(record) ?? verdictOf(record)
    verdicts.set(record, verdict)
    return verdict
  }
  for (const record of records) {
    for (const entry of record.entries) {
      const key = keyOf(entry)
      const said = words.get(key) ?? new Words()
      words.set(key, said)
      if (record.kind === 'verdict') said.say(record, entry)
      else if (record.kind === 'split') said.split(record.pieces, entry)
      else if (record.kind !== 'amend') said.consume(record.kind, entry)
      else said.amend(record, entry)
    }
  }
  return {
    of(change) {
      const said = words.get(keyOf(change))
      const holds = said?.file !== undefined && matches(said.file.entry, change)
      const isVoid = said?.file !== undefined && said.file.record.verdict !== 'withdrawn' && !holds
      return {
        ...(holds && said?.file && { file: cachedVerdict(said.file.record) }),
        hunks: new Map([...(said?.hunks ?? [])].map(([id, record]) => [id, cachedVerdict(record)])),
        isVoid,
        lostApproval: isVoid && said?.file?.record.verdict === 'approved',
      }
    },
  }
}

/** All rejections ever given, in order, one for each path. A discard ends none: the agent is still to hear the reason. */
export function rejectionsFor(records: readonly ReviewRecord[]): Rejection[] {
  const last = new LastWords(records)
  const found = new Map<string, Rejection>()
  for (const record of records) {
    if (record.kind !== 'verdict' || record.verdict !== 'rejected') continue
    const { id, by, at, reason = '' } = verdictOf(record)
    for (const { path, hunks } of record.entries) {
      const words = hunks === undefined ? last.of(path) : hunks.flatMap((hunk) => last.of(path, hunk.id))
      const standing = words.some((word) => word.id === id)
      const isBack = ({ takenBack }: LastWord) => takenBack.has(id)
      const withdrawn = words.every(isBack)
      const left = hunks?.filter((hunk) => withdrawn || !last.of(path, hunk.id).every(isBack))
      // A verdict that a commit left on the rest of a file is written down again for that rest: it is one rejection.
      const said = { id, path, ...(left && { hunks: left }), reason, by, at, standing, withdrawn }
      found.set(`${id} ${path}`, { ...said, takenBack: last.withdrawnWord(path, id) })
    }
  }
  return [...found.values()]
}

/** What was said last, of a path or of a hunk of it: of one that was divided, for each piece. */
interface LastWord {
  /** Of the record that is the latest. */
  readonly id: string | undefined
  /** Ids of the records that were taken back. */
  readonly takenBack: ReadonlySet<string>
}

type Word = { id: string | undefined; readonly takenBack: Set<string> }

/** The words on one path: on all of it, and by their ids on its hunks. */
interface PathWords {
  readonly whole: Word
  readonly hunks: Map<string, Word>
  /** By the id of what was taken back: by which words, and of which hunks. */
  readonly takenBack: Map<string, Map<string, readonly HunkRef[] | undefined>>
}

class LastWords {
  readonly #paths = new Map<string, PathWords>()
  readonly #pieces = new Map<string, readonly string[]>()

  constructor(records: readonly ReviewRecord[]) {
    for (const record of records) {
      if (record.kind === 'discard' || record.kind === 'amend') continue
      for (const entry of record.entries) this.#hear(record, entry)
    }
  }

  of(path: string, hunk?: string): LastWord[] {
    const words = this.#on(path)
    return hunk === undefined ? [words.whole] : this.#wordsOn(words, hunk)
  }

  withdrawnWord(path: string, id: string): Withdrawn[] {
    const words = this.#on(path).takenBack.get(id) ?? []
    return [...words].map(([word, hunks]) => ({ id: word, ...(hunks && { hunks }) }))
  }

  #hear(record: ReviewRecord, entry: ReviewEntry): void {
    const { path, hunks, except } = entry
    const words = this.#on(path)
    if (record.kind === 'verdict' && record.verdict === 'withdrawn') this.#takeBack(record, entry)
    if (record.kind === 'split') for (const { id } of hunks ?? []) this.#divide(words, id, record.pieces)
    else if (hunks) for (const word of hunks.flatMap(({ id }) => this.#wordsOn(words, id))) word.id = record.id
    else {
      words.whole.id = record.id
      if (record.kind === 'committed') return
      const kept = new Set(except)
      // The word on the file is the latest on each of its hunks.
      for (const [id, word] of words.hunks) if (!kept.has(id)) word.id = record.id
    }
  }

  #divide(words: PathWords, hunk: string, pieces: readonly string[]): void {
    // Two reviewers can have divided it at once.
    if (this.#pieces.has(hunk)) return
    const { id, takenBack } = wordOn(words, hunk)
    this.#pieces.set(hunk, pieces)
    for (const piece of pieces) words.hunks.set(piece, { id, takenBack: new Set(takenBack) })
  }

  /** What it takes back is the latest word on each hunk: without one of its own, that on the file. */
  #takeBack({ id: by }: ReviewRecord, { path, hunks }: ReviewEntry): void {
    const words = this.#on(path)
    const all: readonly (readonly [Word, HunkRef?])[] = hunks
      ? hunks.flatMap((hunk) => this.#wordsOn(words, hunk.id).map((word) => [word, hunk] as const))
      : [words.whole, ...words.hunks.values()].map((word) => [word] as const)
    for (const [word, hunk] of all) {
      const id = word.id ?? words.whole.id
      if (id === undefined) continue
      word.takenBack.add(id)
      const back = words.takenBack.get(id) ?? new Map<string, readonly HunkRef[] | undefined>()
      words.takenBack.set(id, back)
      back.set(by, hunk && [...(back.get(by) ?? []), hunk])
    }
  }

  #on(path: string): PathWords {
    const words = this.#paths.get(path) ?? { whole: newWord(), hunks: new Map(), takenBack: new Map() }
    this.#paths.set(path, words)
    return words
  }

  #wordsOn(words: PathWords, hunk: string): Word[] {
    return (this.#pieces.get(hunk) ?? [hunk]).map((id) => wordOn(words, id))
  }
}

function wordOn({ hunks }: PathWords, id: string): Word {
  const word = hunks.get(id) ?? newWord()
  hunks.set(id, word)
  return word
}

function newWord(): Word {
  return { id: undefined, takenBack: new Set() }
}
