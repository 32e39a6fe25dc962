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
import type { Undelivered } from './undelivered.js'

export interface QuestionDeps {
  readonly notes: NoteQueue
  /** The session's state; its intent is who asks. */
  readonly state: { readonly intentId: string | undefined }
  readonly approver: Approver | undefined
  readonly answer: (id: string, answer: Answer) => Promise<void>
}

const DELIVERED_NOTE = 'told_answer'
const USED_NOTE = 'spent_answer'
/** The beginning of an answer's key. */
const ANSWER = 'answer:'

type New<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never

/** What a session asks of people, once each, and what they said. */
export class SessionQuestions {
  #records: readonly ReviewRecord[] = []
  #answers: AnswerRecord[] = []
  readonly #told: Set<unknown>
  readonly #spent: Set<unknown>
  readonly #used = new Set<string>()
  readonly #asking = new Set<Promise<unknown>>()
  /** Writes with an open question, by path and rule: a command can be refused thousands of them. */
  #asked: Set<string>
  /** What writes are judged by; another object when something of it has changed. */
  answers: AskAnswers

  constructor(private readonly deps: QuestionDeps) {
    this.#told = new Set(deps.notes.queued(DELIVERED_NOTE))
    this.#spent = new Set(deps.notes.queued(USED_NOTE))
    this.#asked = this.#openAsks()
    this.answers = this.#current()
  }

  /** An `ask` rule refused a write. */
  ask(path: string, rule: string): void {
    const intentId = this.deps.state.intentId
    const key = askKey({ path, rule })
    if (this.#asked.has(key)) return
    this.#asked.add(key)
    this.#post({ kind: 'access', path, rule, ...defined({ intentId }) })
  }

  /** An `ask` of `terminal` refused a command. */
  askCommand(asked: Omit<CommandQuestion, 'id' | 'at' | 'kind' | 'intentId'>): void {
    const intentId = this.deps.state.intentId
    const isAsked = this.#open().some((each) => each.kind === 'command' && each.key === asked.key)
    if (!isAsked) this.#post({ kind: 'command', ...asked, ...defined({ intentId }) })
  }

  /** What a person said to a command; what was allowed once is over with it. */
  takeCommand(key: string): AnswerRecord | undefined {
    const record = commandAnswer(key, this.#answers, ({ id }) => this.#spent.has(id))
    if (record?.answer === 'once') {
      this.#used.add(record.id)
      this.markUsed()
    }
    return record
  }

  /** Throws EscrowError `missing_intent_id`; `policy_invalid` for a glob no scope can have. */
  requestScope(globs: readonly string[], why: string): ScopeRequest {
    const intentId = this.deps.state.intentId
    if (intentId === undefined)
      throw new EscrowError('missing_intent_id', 'More scope is asked for an active intent. Select one first.')
    if (globs.length === 0) throw new EscrowError('nothing_selected', 'No glob was named: there is nothing to ask for.')
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
      const isNews = answers.length !== this.#answers.length
      this.#answers = answers
      if (isNews) {
        this.answers = this.#current()
        this.#asked = this.#openAsks()
      }
    }
    this.markUsed()
  }

  /** A write went through by an answer. */
  consume(path: string): void {
    if (this.#answers.length === 0) return
    const record = this.#for(path)
    if (record?.answer === 'once') this.#used.add(record.id)
  }

  /** What was allowed once, and was used, is over. */
  markUsed(): void {
    // Decisions are remembered for as long as the answers are the same object.
    if (this.#used.size === 0) return
    for (const id of this.#used) {
      this.#spent.add(id)
      this.deps.notes.enqueue(USED_NOTE, id)
    }
    this.#used.clear()
    this.answers = this.#current()
  }

  /** True once the approver has answered something; false where there is nothing to wait for. */
  async waitForAnswers(): Promise<boolean> {
    if (this.#asking.size === 0) return false
    await Promise.allSettled([...this.#asking])
    return true
  }

  /** Answers that the agent has not been given, each with the key that {@link markDelivered} takes. */
  undeliveredAnswers(): Undelivered[] {
    return this.#answers
      .filter(({ id }) => !this.#told.has(id))
      .map((record) => {
        const { answer, words, by, path, command } = record
        const kind = answer === 'deny' ? 'refused' : 'granted'
        const said =
          words ??
          (command !== undefined
            ? `Running \`${command}\` is allowed (${answer}).`
            : path === undefined
              ? 'The scope was extended.'
              : `Writing ${path} is allowed (${answer}).`)
        const feedback = { ...defined({ path }), kind, reason: said, by: reviewerOf(by) }
        return { keys: [`${ANSWER}${record.id}`], feedback }
      })
  }

  /** The agent was given an answer. False for a key that is none of an answer. */
  markDelivered(key: string): boolean {
    if (!key.startsWith(ANSWER)) return false
    const id = key.slice(ANSWER.length)
    this.#told.add(id)
    this.deps.notes.enqueue(DELIVERED_NOTE, id)
    return true
  }

  #open(): Question[] {
    return openQuestions(this.deps.notes.queued(QUESTION), this.#records)
  }

  #openAsks(): Set<string> {
    return new Set(this.#open().flatMap((each) => (each.kind === 'access' ? [askKey(each)] : [])))
  }

  #post(asked: New<Question>): Question {
    const question = { ...asked, id: newId(), at: new Date().toISOString() } as Question
    this.deps.notes.enqueue(QUESTION, { ...question })
    const { approver } = this.deps
    if (approver) this.#consult(approver, question)
    return question
  }

  /** An approver that fails has no answer: the question stays open for a person. */
  #consult(approver: Approver, question: Question): void {
    const asking = (async () => {
      const answer = await approver(question)
      if (answer) await this.deps.answer(question.id, answer)
    })().catch((error: unknown) => {
      process.emitWarning(`The approver could not answer ${question.id}: ${String(error)}`, 'EscrowApproverWarning')
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
      leadTo: (dir) => letsBelow(dir, this.#answers, ({ id }) => this.#spent.has(id)),
    }
  }
}

function askKey({ path, rule }: Pick<AccessQuestion, 'path' | 'rule'>): string {
  return `${rule}\0${path}`
}
