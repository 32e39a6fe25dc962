import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { newId } from '../core/ids.js'
import type { Reviewer } from '../core/people.js'
import type { Answer, Question } from '../core/question.js'
import type { ReviewLog } from './log.js'
import { openQuestions } from './questions.js'
import type { AnswerRecord } from './record.js'

export interface AnswerDeps {
  readonly log: ReviewLog
  /** The session's questions as its stage has them noted. */
  questionNotes(): Promise<readonly unknown[]>
  reviewer(): Reviewer
  /** Does what an answer says and puts it into the ledger. It comes before the session hears of it. */
  carryOut(question: Question, record: AnswerRecord): Promise<void>
}

export async function questionsOf(deps: AnswerDeps): Promise<Question[]> {
  return openQuestions(await deps.questionNotes(), deps.log.read())
}

/** Throws EscrowError `nothing_selected` (no such open question), `unsupported` (no answer to such a question). */
export async function answerQuestion(deps: AnswerDeps, id: string, given: Answer): Promise<void> {
  const { answer, words, by, remember } = given
  const open = await questionsOf(deps)
  const question = open.find((each) => each.id === id)
  if (!question) throw noQuestion(id, open)
  if (question.kind === 'scope' && answer !== 'allow' && answer !== 'deny')
    throw new EscrowError('unsupported', `A request for scope is answered with allow or deny, not with ${answer}.`)
  if (question.kind === 'command' && answer === 'subtree')
    throw new EscrowError('unsupported', 'A command is answered with allow, once or deny: there is nothing below it.')
  if (remember && (question.kind === 'scope' || answer === 'once'))
    throw new EscrowError('unsupported', 'Only allow, subtree and deny to what a rule asks about are remembered.')
  if (answer === 'deny' && (words ?? '').trim() === '')
    throw new EscrowError('unsupported', 'A refusal needs words: they are what the agent can act on.')
  const record: AnswerRecord = {
    kind: 'answer',
    id: newId(),
    at: new Date().toISOString(),
    entries: [],
    question: id,
    answer,
    by: { ...(by ?? deps.reviewer()) },
    ...(question.kind === 'access' && { path: question.path }),
    ...(question.kind === 'command' && { key: question.key, command: question.command }),
    ...defined({ words }),
    ...(remember && { remember }),
  }
  await deps.carryOut(question, record)
  await deps.log.append(record)
}

function noQuestion(id: string, open: readonly Question[]): EscrowError {
  const rest = open.length === 0 ? 'None is open.' : `Open are: ${open.map((each) => each.id).join(', ')}.`
  return new EscrowError('nothing_selected', `There is no open question ${id}. ${rest}`)
}
