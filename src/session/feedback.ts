import { isWithin, type RelPath } from '../../overlay/index.js'
import type { Feedback } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Access } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import type { ToolContext } from '../core/tool-context.js'
import {
  AMENDMENT_VERBS,
  DELIVERED_NOTE,
  linesOf,
  type PendingFeedback,
  type SessionQuestions,
  type Undelivered,
  undeliveredFeedback,
} from '../inbox/index.js'
import { type Amendment, amendmentsFor, type Rejection, type ReviewRecord, rejectionsFor } from '../review/index.js'
import type { NoteQueue } from '../stage/index.js'

/**
 * Delivers reviewers' decisions to the agent: as feedback between its calls, and by refusing its next write of a path once,
 * if it was rejected, or amended and not read since.
 */
export class SessionFeedback implements PendingFeedback {
  #reviews: readonly ReviewRecord[] = []
  /** Rejections in force, by path: looked up at each write. */
  #rejections: ReadonlyMap<string, readonly Rejection[]> = new Map()
  #amendments: ReadonlyMap<string, readonly Amendment[]> = new Map()
  /** Messages of the session itself, for the next feedback. */
  readonly #messages: Feedback[] = []
  /** Keys of delivered feedback. */
  readonly #delivered: Set<unknown>

  constructor(
    private readonly notes: NoteQueue,
    private readonly questions: Pick<SessionQuestions, 'undeliveredAnswers' | 'markDelivered'>,
    private readonly tool: () => ToolContext | undefined,
  ) {
    this.#delivered = new Set(notes.queued(DELIVERED_NOTE))
  }

  /** @param reviews the whole review log */
  update(reviews: readonly ReviewRecord[]): void {
    if (reviews === this.#reviews) return
    this.#reviews = reviews
    this.#rejections = groupInForce(rejectionsFor(reviews))
    this.#amendments = groupInForce(amendmentsFor(reviews))
  }

  /** Returns the undelivered feedback and marks it delivered. */
  take(): Feedback[] {
    const fresh = this.undelivered()
    for (const { keys } of fresh) for (const key of keys) this.#deliver(key)
    return [...fresh.map(({ feedback }) => feedback), ...this.#messages.splice(0)]
  }

  /** Delivers a message of the session itself with the next feedback. */
  addMessage(message: Feedback): void {
    this.#messages.push(message)
  }

  undelivered(): Undelivered[] {
    return [...undeliveredFeedback(this.#reviews, this.#delivered), ...this.questions.undeliveredAnswers()]
  }

  markDelivered(keys: readonly string[]): void {
    if (keys.length === 0) return
    const open = new Set(this.undelivered().flatMap((each) => each.keys))
    for (const key of keys) if (open.has(key)) this.#deliver(key)
  }

  /** A read of a path delivers reviewers' changes to it. An edit tool's own read does not: the model does not see its result. */
  onRead(path: string): void {
    if (this.#amendments.size === 0) return
    const kind = this.tool()?.kind
    if (kind !== undefined && kind !== 'read') return
    for (const amendment of this.#unread(path)) this.#record(refusalKey(amendment))
  }

  /** The paths below a directory whose writes would be refused. */
  refusedPathsBelow(dir: RelPath): string[] {
    const below = (path: string) => isWithin(path, dir) && path !== dir
    return [
      ...[...this.#rejections.keys()].filter(below),
      ...[...this.#amendments.keys()].filter((path) => below(path) && this.#unread(path).length > 0),
    ]
  }

  /** Refuses a write once for each rejection of the path. */
  checkRejections({ path }: Access): Denial | undefined {
    const fresh = (this.#rejections.get(path) ?? []).filter((each) => !this.#delivered.has(refusalKey(each)))
    if (fresh.length === 0) return undefined
    for (const rejection of fresh) this.#record(refusalKey(rejection))
    return {
      reason: 'user_rejected',
      message: fresh.map(({ reason }) => reason).join('\n'),
      hint: `${fresh.map(describeRejection).join(' ')} Change your edit accordingly, then try again.`,
      file: path,
    }
  }

  /** Refuses a write once for each amendment that the agent has not read: the write would silently undo it. */
  checkAmendments({ path }: Pick<Access, 'path'>): Denial | undefined {
    const unread = this.#unread(path)
    if (unread.length === 0) return undefined
    for (const amendment of unread) this.#record(refusalKey(amendment))
    const names = [...new Set(unread.map(({ by }) => by.name))].join(', ')
    const hint = unread.map(({ by, cause }) => `${by.name} ${AMENDMENT_VERBS[cause]}.`).join(' ')
    const message = `Stale File: ${path} was changed by ${names} since you read it. Read it again, then retry.`
    return { reason: 'stale_file', message, hint, file: path }
  }

  /**
   * Call it before the agent reverts files. The revert also drops reviewers' edits of them; feedback reports that.
   * @throws EscrowError `stale_file`, once, if the agent has not read a reviewer's change; the caller must revert
   * nothing then
   */
  beforeRevert(paths: readonly string[]): void {
    const denials = paths.flatMap((path) => this.checkAmendments({ path }) ?? [])
    const [denial] = denials
    if (denial) {
      const refused = denials.map(({ message, reason, file = '' }) => ({ path: file, reason, message }))
      const hint = 'Read it, then revert it if you still want to.'
      throw new EscrowError('stale_file', `${denial.message} Nothing was reverted.`, { hint, refused })
    }
    for (const { path, cause, by } of [...new Set(paths)].flatMap((path) => this.#amendments.get(path) ?? [])) {
      if (cause !== 'edit') continue
      this.addMessage({
        path,
        kind: 'reverted',
        reason: `The edit of this file by ${by.name} was reverted with it.`,
        by,
      })
    }
  }

  #unread(path: string): Amendment[] {
    return (this.#amendments.get(path) ?? []).filter((each) => !this.#delivered.has(refusalKey(each)))
  }

  #deliver(key: string): void {
    if (!this.questions.markDelivered(key)) this.#record(key)
  }

  #record(key: string): void {
    this.#delivered.add(key)
    this.notes.enqueue(DELIVERED_NOTE, key)
  }
}

function groupInForce<T extends { readonly path: string; readonly isInForce: boolean }>(
  all: readonly T[],
): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const each of all) {
    if (!each.isInForce) continue
    const known = found.get(each.path)
    if (known) known.push(each)
    else found.set(each.path, [each])
  }
  return found
}

/** The key of a refused write. It differs from that of the same verdict's feedback: the agent gets each once. */
function refusalKey({ id, path }: { readonly id: string; readonly path: string }): string {
  return `write:${id}:${path}`
}

function describeRejection({ by, hunks }: Rejection): string {
  const places = linesOf(hunks).map(([first, last]) => (first === last ? `line ${first}` : `lines ${first} to ${last}`))
  return `${by.name} rejected ${places.length === 0 ? '' : `${places.join(', ')} of `}the staged change of this file.`
}
