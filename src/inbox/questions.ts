import type { ScopeRequest } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { briefCommand } from '../core/command-text.js'
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
const ANSWER_PREFIX = 'answer:'

type Unposted<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never

/** The questions that a session asks people, each once, and their answers. */
export class SessionQuestions {
  #records: readonly ReviewRecord[] = []
  #answers: AnswerRecord[] = []
  readonly #delivered: Set<unknown>
  /** Ids of `once` answers that were used up. */
  readonly #consumed: Set<unknown>
  /** Ids of `once` answers that the current call uses. */
  readonly #inUse = new Set<string>()
  readonly #pendingApprovals = new Set<Promise<unknown>>()
  /** Path and rule of each open access question. A set, because one command can have thousands of refused writes. */
  #openAccessKeys: Set<string>
  /** The answers in force, for policy. Replaced by another object when one changes. */
  answers: AskAnswers

  /**
   * @param state the session's state; questions name its intent
   * @param recordAnswer records the approver's answer to a question
   */
  constructor(
    private readonly notes: NoteQueue,
    private readonly state: { readonly intentId: string | undefined },
    private readonly approver: Approver | undefined,
    private readonly recordAnswer: (id: string, answer: Answer) => Promise<void>,
  ) {
    this.#delivered = new Set(notes.queued(DELIVERED_NOTE))
    this.#consumed = new Set(notes.queued(USED_NOTE))
    this.#openAccessKeys = this.#readOpenAccessKeys()
    this.answers = this.#currentAnswers()
  }

  /** Asks about a write that an `ask` rule refused. */
  ask(path: string, rule: string): void {
    const intentId = this.state.intentId
    const key = accessKey({ path, rule })
    if (this.#openAccessKeys.has(key)) return
    this.#openAccessKeys.add(key)
    this.#postQuestion({ kind: 'access', path, rule, ...defined({ intentId }) })
  }

  /** Asks about a command that an `ask` of `terminal` refused. */
  askCommand(asked: Omit<CommandQuestion, 'id' | 'at' | 'kind' | 'intentId'>): void {
    const intentId = this.state.intentId
    const isAsked = this.#openQuestions().some((each) => each.kind === 'command' && each.key === asked.key)
    if (!isAsked) this.#postQuestion({ kind: 'command', ...asked, ...defined({ intentId }) })
  }

  /** The answer in force for a command. A `once` answer is used up. */
  takeCommand(key: string): AnswerRecord | undefined {
    const record = commandAnswer(key, this.#answers, ({ id }) => this.#consumed.has(id))
    if (record?.answer === 'once') {
      this.#inUse.add(record.id)
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
    const isSame = (each: Question) =>
      each.kind === 'scope' && each.intentId === intentId && each.globs.join('\n') === globs.join('\n')
    const question =
      this.#openQuestions().find(isSame) ?? this.#postQuestion({ kind: 'scope', intentId, globs: [...globs], why })
    return { id: question.id, globs: [...globs], why }
  }

  update(records: readonly ReviewRecord[]): void {
    if (records !== this.#records) {
      this.#records = records
      const answers = answersIn(records)
      const isChanged = answers.length !== this.#answers.length
      this.#answers = answers
      if (isChanged) {
        this.answers = this.#currentAnswers()
        this.#openAccessKeys = this.#readOpenAccessKeys()
      }
    }
    this.markUsed()
  }

  /** Marks a `once` answer that allowed a write as used by the current call. */
  consume(path: string): void {
    if (this.#answers.length === 0) return
    const record = this.#answerFor(path)
    if (record?.answer === 'once') this.#inUse.add(record.id)
  }

  /** Uses up the `once` answers of the call that ended. */
  markUsed(): void {
    // Policy caches decisions by the identity of the answers.
    if (this.#inUse.size === 0) return
    for (const id of this.#inUse) {
      this.#consumed.add(id)
      this.notes.enqueue(USED_NOTE, id)
    }
    this.#inUse.clear()
    this.answers = this.#currentAnswers()
  }

  /** Resolves to true once the approver has answered, or to false at once if it was not asked. */
  async waitForAnswers(): Promise<boolean> {
    if (this.#pendingApprovals.size === 0) return false
    await Promise.allSettled([...this.#pendingApprovals])
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
            ? `Running \`${briefCommand(command)}\` is allowed (${answer}).`
            : path === undefined
              ? 'The scope was extended.'
              : `Writing ${path} is allowed (${answer}).`)
        const feedback = { ...defined({ path }), kind, reason: text, by: reviewerOf(by) }
        return { keys: [`${ANSWER_PREFIX}${record.id}`], feedback }
      })
  }

  /** Marks an answer as delivered. Returns false if the key is not an answer's. */
  markDelivered(key: string): boolean {
    if (!key.startsWith(ANSWER_PREFIX)) return false
    const id = key.slice(ANSWER_PREFIX.length)
    this.#delivered.add(id)
    this.notes.enqueue(DELIVERED_NOTE, id)
    return true
  }

  #openQuestions(): Question[] {
    return openQuestions(this.notes.queued(QUESTION), this.#records)
  }

  #readOpenAccessKeys(): Set<string> {
    return new Set(this.#openQuestions().flatMap((each) => (each.kind === 'access' ? [accessKey(each)] : [])))
  }

  #postQuestion(asked: Unposted<Question>): Question {
    const question = { ...asked, id: newId(), at: new Date().toISOString() } as Question
    this.notes.enqueue(QUESTION, { ...question })
    if (this.approver) this.#askApprover(this.approver, question)
    return question
  }

  /** If the approver fails, the question stays open for a person. */
  #askApprover(approver: Approver, question: Question): void {
    const approval = (async () => {
      const answer = await approver(question)
      if (answer) await this.recordAnswer(question.id, answer)
    })().catch((error: unknown) => {
      process.emitWarning(`The approver failed on question ${question.id}: ${String(error)}`, 'EscrowApproverWarning')
    })
    this.#pendingApprovals.add(approval)
    approval.finally(() => this.#pendingApprovals.delete(approval))
  }

  #answerFor(path: string): AnswerRecord | undefined {
    return answerFor(path, this.#answers, ({ id }) => this.#consumed.has(id))
  }

  #currentAnswers(): AskAnswers {
    return {
      of: (path) => this.#answerFor(path),
      allowsBelow: (dir) => letsBelow(dir, this.#answers, ({ id }) => this.#consumed.has(id)),
    }
  }
}

function accessKey({ path, rule }: Pick<AccessQuestion, 'path' | 'rule'>): string {
  return `${rule}\0${path}`
}
