import type { ScopeRequest } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { globProblem } from '../core/globs.js'
import { newId } from '../core/ids.js'
import type { AccessQuestion, Answer, Approver, CommandQuestion, Question } from '../core/question.js'
import type { AskAnswers } from '../policy/index.js'
import {
  type AnswerRecord,
  answerFor,
  answersIn,
  commandAnswer,
  letsBelow,
  openQuestions,
  QUESTION,
  type ReviewRecord,
  reviewerOf,
} from '../review/index.js'
import type { NoteQueue } from '../stage/index.js'
import type { Undelivered } from './undelivered-feedback.js'

const DELIVERED_NOTE = 'told_answer'
const USED_NOTE = 'spent_answer'
/** The prefix of an answer's key. */
const ANSWER = 'answer:'

type New<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never

/** The questions that a session asks people, each once, and their answers. */
export class SessionQuestions {
  #records: readonly ReviewRecord[] = []
  #answers: AnswerRecord[] = []
  readonly #delivered: Set<unknown>
  /** Ids of `once` answers that were used up. */
  readonly #spent: Set<unknown>
  /** Ids of `once` answers that the current call uses. */
  readonly #used = new Set<string>()
  readonly #asking = new Set<Promise<unknown>>()
  /** Path and rule of each open access question: a command can be refused thousands of writes. */
  #asked: Set<string>
  /** The answers in force, for policy. Replaced by another object when one changes. */
  answers: AskAnswers

  /**
   * @param state the session's state; questions name its intent
   * @param answer records the approver's answer to a question
   */
  constructor(
    private readonly notes: NoteQueue,
    private readonly state: { readonly intentId: string | undefined },
    private readonly approver: Approver | undefined,
    private readonly answer: (id: string, answer: Answer) => Promise<void>,
  ) {
    this.#delivered = new Set(notes.queued(DELIVERED_NOTE))
    this.#spent = new Set(notes.queued(USED_NOTE))
    this.#asked = this.#openAsks()
    this.answers = this.#current()
  }

  /** Asks about a write that an `ask` rule refused. */
  ask(path: string, rule: string): void {
    const intentId = this.state.intentId
    const key = askKey({ path, rule })
    if (this.#asked.has(key)) return
    this.#asked.add(key)
    this.#post({ kind: 'access', path, rule, ...defined({ intentId }) })
  }

  /** Asks about a command that an `ask` of `terminal` refused. */
  askCommand(asked: Omit<CommandQuestion, 'id' | 'at' | 'kind' | 'intentId'>): void {
    const intentId = this.state.intentId
    const isAsked = this.#open().some((each) => each.kind === 'command' && each.key === asked.key)
    if (!isAsked) this.#post({ kind: 'command', ...asked, ...defined({ intentId }) })
  }

  /** The answer in force for a command. Taking a `once` answer uses it up. */
  takeCommand(key: string): AnswerRecord | undefined {
    const record = commandAnswer(key, this.#answers, ({ id }) => this.#spent.has(id))
    if (record?.answer === 'once') {
      this.#used.add(record.id)
      this.markUsed()
    }
    return record
  }

  /** @throws EscrowError `missing_intent_id`; `nothing_selected` without globs; `policy_invalid` for a glob no scope can have */
  requestScope(globs: readonly string[], why: string): ScopeRequest {
    const intentId = this.state.intentId
    if (intentId === undefined)
      throw new EscrowError(
        'missing_intent_id',
        'No intent is active, so there is no scope to expand. Call select_active_intent first.',
      )
    if (globs.length === 0)
      throw new EscrowError('nothing_selected', 'No glob was given. Name the paths that you need.')
    for (const glob of globs) {
      const problem = globProblem(glob)
      if (problem !== undefined)
        throw new EscrowError('policy_invalid', `${JSON.stringify(glob)} cannot be used: ${problem}.`)
    }
    const same = (each: Question) =>
      each.kind === 'scope' && each.intentId === intentId && each.globs.join('\n') === globs.join('\n')
    const question = this.#open().find(same) ?? this.#post({ kind: 'scope', intentId, globs: [...globs], why })
    return { id: question.id, globs: [...globs], why }
  }

  update(records: readonly ReviewRecord[]): void {
    if (records !== this.#records) {
      this.#records = records
      const answers = answersIn(records)
      const isChanged = answers.length !== this.#answers.length
      this.#answers = answers
      if (isChanged) {
        this.answers = this.#current()
        this.#asked = this.#openAsks()
      }
    }
    this.markUsed()
  }

  /** Marks the `once` answer that let a write through as used by the current call. */
  consume(path: string): void {
    if (this.#answers.length === 0) return
    const record = this.#for(path)
    if (record?.answer === 'once') this.#used.add(record.id)
  }

  /** Uses up the `once` answers of the call that has ended. */
  markUsed(): void {
    // Policy caches decisions by the identity of the answers.
    if (this.#used.size === 0) return
    for (const id of this.#used) {
      this.#spent.add(id)
      this.notes.enqueue(USED_NOTE, id)
    }
    this.#used.clear()
    this.answers = this.#current()
  }

  /** Resolves to true once the approver has answered, or to false at once where nothing was asked of it. */
  async waitForAnswers(): Promise<boolean> {
    if (this.#asking.size === 0) return false
    await Promise.allSettled([...this.#asking])
    return true
  }

  /** The answers that were not delivered to the agent, each with the key for {@link markDelivered}. */
  undeliveredAnswers(): Undelivered[] {
    return this.#answers
      .filter(({ id }) => !this.#delivered.has(id))
      .map((record) => {
        const { answer, words, by, path, command } = record
        const kind = answer === 'deny' ? 'refused' : 'granted'
        const text =
          words ??
          (command !== undefined
            ? `Running \`${command}\` is allowed (${answer}).`
            : path === undefined
              ? 'The scope was extended.'
              : `Writing ${path} is allowed (${answer}).`)
        const feedback = { ...defined({ path }), kind, reason: text, by: reviewerOf(by) }
        return { keys: [`${ANSWER}${record.id}`], feedback }
      })
  }

  /** Marks an answer as delivered. False where the key is not an answer's. */
  markDelivered(key: string): boolean {
    if (!key.startsWith(ANSWER)) return false
    const id = key.slice(ANSWER.length)
    this.#delivered.add(id)
    this.notes.enqueue(DELIVERED_NOTE, id)
    return true
  }

  #open(): Question[] {
    return openQuestions(this.notes.queued(QUESTION), this.#records)
  }

  #openAsks(): Set<string> {
    return new Set(this.#open().flatMap((each) => (each.kind === 'access' ? [askKey(each)] : [])))
  }

  #post(asked: New<Question>): Question {
    const question = { ...asked, id: newId(), at: new Date().toISOString() } as Question
    this.notes.enqueue(QUESTION, { ...question })
    if (this.approver) this.#consult(this.approver, question)
    return question
  }

  /** If the approver fails, the question stays open for a person. */
  #consult(approver: Approver, question: Question): void {
    const asking = (async () => {
      const answer = await approver(question)
      if (answer) await this.answer(question.id, answer)
    })().catch((error: unknown) => {
      process.emitWarning(`The approver failed on question ${question.id}: ${String(error)}`, 'EscrowApproverWarning')
    })
    this.#asking.add(asking)
    asking.finally(() => this.#asking.delete(asking))
  }

  #for(path: string): AnswerRecord | undefined {
    return answerFor(path, this.#answers, ({ id }) => this.#spent.has(id))
  }

  #current(): AskAnswers {
    return {
      of: (path) => this.#for(path),
      allowsBelow: (dir) => letsBelow(dir, this.#answers, ({ id }) => this.#spent.has(id)),
    }
  }
}

function askKey({ path, rule }: Pick<AccessQuestion, 'path' | 'rule'>): string {
  return `${rule}\0${path}`
}
