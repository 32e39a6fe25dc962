import { isWithin, type RelPath } from '../../overlay/index.js'
import type { Feedback } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Access } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import type { ToolContext } from '../core/tool-context.js'
import {
  AMENDED,
  DELIVERED,
  linesOf,
  type ReviewerWords,
  type SessionQuestions,
  type Undelivered,
  undeliveredWords,
} from '../inbox/index.js'
import { type Amendment, amendmentsFor, type Rejection, type ReviewRecord, rejectionsFor } from '../review/index.js'
import type { NoteQueue } from '../stage/index.js'

export interface FeedbackDeps {
  readonly notes: NoteQueue
  readonly questions: Pick<SessionQuestions, 'undeliveredAnswers' | 'markDelivered'>
  readonly tool: () => ToolContext | undefined
}

/**
 * What reviewers said and did, on its way to the agent. A rejection, and a change by a reviewer that the agent has not
 * read, refuse the agent's next write of the path once; feedback delivers them as well.
 */
export class SessionFeedback implements ReviewerWords {
  #reviews: readonly ReviewRecord[] = []
  /** Those in force, by path: each write asks. */
  #rejections: ReadonlyMap<string, readonly Rejection[]> = new Map()
  #amendments: ReadonlyMap<string, readonly Amendment[]> = new Map()
  /** Messages of the session itself, for the next feedback. */
  readonly #news: Feedback[] = []
  /** Keys of what the agent was given. */
  readonly #delivered: Set<unknown>

  constructor(private readonly deps: FeedbackDeps) {
    this.#delivered = new Set(deps.notes.queued(DELIVERED))
  }

  /** All that reviewers have said and done so far. */
  update(reviews: readonly ReviewRecord[]): void {
    if (reviews === this.#reviews) return
    this.#reviews = reviews
    this.#rejections = verdictsByPath(rejectionsFor(reviews))
    this.#amendments = verdictsByPath(amendmentsFor(reviews))
  }

  /** What the agent was not given yet. It counts as given now. */
  take(): Feedback[] {
    const fresh = this.undeliveredWords()
    for (const { keys } of fresh) for (const key of keys) this.#deliver(key)
    return [...fresh.map(({ feedback }) => feedback), ...this.#news.splice(0)]
  }

  /** Delivers a message of the session itself with the next feedback. */
  inform(news: Feedback): void {
    this.#news.push(news)
  }

  undeliveredWords(): Undelivered[] {
    return [...undeliveredWords(this.#reviews, this.#delivered), ...this.deps.questions.undeliveredAnswers()]
  }

  markDelivered(keys: readonly string[]): void {
    if (keys.length === 0) return
    const open = new Set(this.undeliveredWords().flatMap((each) => each.keys))
    for (const key of keys) if (open.has(key)) this.#deliver(key)
  }

  /** The model was shown a path, so it knows what reviewers made of it. An edit tool's own read shows it nothing. */
  saw(path: string): void {
    if (this.#amendments.size === 0) return
    const kind = this.deps.tool()?.kind
    if (kind !== undefined && kind !== 'read') return
    for (const amendment of this.#unread(path)) this.#record(keyOf(amendment))
  }

  /** The paths below a directory that a write is refused for. */
  refusedBelow(dir: RelPath): string[] {
    const below = (path: string) => isWithin(path, dir) && path !== dir
    return [
      ...[...this.#rejections.keys()].filter(below),
      ...[...this.#amendments.keys()].filter((path) => below(path) && this.#unread(path).length > 0),
    ]
  }

  /** Refuses a write once for each rejection of the path. */
  rejectionOf({ path }: Access): Denial | undefined {
    const fresh = (this.#rejections.get(path) ?? []).filter((each) => !this.#delivered.has(keyOf(each)))
    if (fresh.length === 0) return undefined
    for (const rejection of fresh) this.#record(keyOf(rejection))
    return {
      reason: 'user_rejected',
      message: fresh.map(({ reason }) => reason).join('\n'),
      hint: `${fresh.map(rejectedBy).join(' ')} Change what you write, then try again.`,
      file: path,
    }
  }

  /** Refuses a write once: an agent that writes what it had in mind would undo a reviewer's change, and nobody would notice. */
  amendmentOf({ path }: Pick<Access, 'path'>): Denial | undefined {
    const unread = this.#unread(path)
    if (unread.length === 0) return undefined
    for (const amendment of unread) this.#record(keyOf(amendment))
    const names = [...new Set(unread.map(({ by }) => by.name))].join(', ')
    const hint = unread.map(({ by, cause }) => `${by.name} ${AMENDED[cause]}.`).join(' ')
    const message = `Stale File: ${path} was changed by ${names} since you read it. Read it again, then retry.`
    return { reason: 'stale_file', message, hint, file: path }
  }

  /**
   * The agent is about to take files out of its stage; what reviewers wrote into them goes too, and feedback says so.
   * @throws EscrowError `stale_file`, once, where the agent does not know of a reviewer's change yet; then nothing goes.
   */
  beforeRevert(paths: readonly string[]): void {
    const denials = paths.flatMap((path) => this.amendmentOf({ path }) ?? [])
    const [denial] = denials
    if (denial) {
      const refused = denials.map(({ message, reason, file = '' }) => ({ path: file, reason, message }))
      const hint = 'Read it, then revert it if it is still to go.'
      throw new EscrowError('stale_file', `${denial.message} Nothing was reverted.`, { hint, refused })
    }
    for (const { path, cause, by } of [...new Set(paths)].flatMap((path) => this.#amendments.get(path) ?? [])) {
      if (cause !== 'edit') continue
      this.inform({ path, kind: 'reverted', reason: `What ${by.name} wrote into this file went with it.`, by })
    }
  }

  #unread(path: string): Amendment[] {
    return (this.#amendments.get(path) ?? []).filter((each) => !this.#delivered.has(keyOf(each)))
  }

  #deliver(key: string): void {
    if (!this.deps.questions.markDelivered(key)) this.#record(key)
  }

  #record(key: string): void {
    this.#delivered.add(key)
    this.deps.notes.enqueue(DELIVERED, key)
  }
}

function verdictsByPath<T extends { readonly path: string; readonly standing: boolean }>(
  all: readonly T[],
): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const each of all) {
    if (!each.standing) continue
    const known = found.get(each.path)
    if (known) known.push(each)
    else found.set(each.path, [each])
  }
  return found
}

/** The key of a refused write, unlike that of the same verdict's feedback: the agent gets each once. */
function keyOf({ id, path }: { readonly id: string; readonly path: string }): string {
  return `write:${id}:${path}`
}

function rejectedBy({ by, hunks }: Rejection): string {
  const places = linesOf(hunks).map(([first, last]) => (first === last ? `line ${first}` : `lines ${first} to ${last}`))
  return `${by.name} rejected ${places.length === 0 ? '' : `${places.join(', ')} of `}the staged change of this file.`
}
