import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { newId } from '../core/ids.js'
import { checkedReviewer } from '../core/people.js'
import type { Answer, Question } from '../core/question.js'
import type { ReviewLog } from './log.js'
import { openQuestions } from './questions.js'
import { type AnswerRecord, checkedRecord } from './record-schema.js'
import type { ReviewEffects, ReviewStage } from './review-stage.js'

/** The questions of a session, for its reviewers to answer. */
export class ReviewQuestions {
  constructor(
    private readonly log: Pick<ReviewLog, 'read' | 'append'>,
    private readonly stage: Pick<ReviewStage, 'questionNotes'>,
    private readonly effects: Pick<ReviewEffects, 'reviewer' | 'applyAnswer'>,
  ) {}

  /** Unanswered questions, oldest first. */
  async open(): Promise<Question[]> {
    return openQuestions(await this.stage.questionNotes(), this.log.read())
  }

  /** @throws EscrowError `nothing_selected` (no such open question), `unsupported` (an answer that does not fit it). */
  async answer(id: string, reply: Answer): Promise<void> {
    const open = await this.open()
    const question = open.find((each) => each.id === id)
    if (!question) throw noQuestion(id, open)
    refuseUnfit(question, reply)
    const { answer, words, by, remember } = reply
    const record: AnswerRecord = checkedRecord({
      kind: 'answer',
      id: newId(),
      at: new Date().toISOString(),
      entries: [],
      question: id,
      answer,
      by: checkedReviewer(by ?? this.effects.reviewer()),
      ...(question.kind === 'access' && { path: question.path }),
      ...(question.kind === 'command' && { key: question.key, command: question.command }),
      ...defined({ words }),
      ...(remember && { remember }),
    })
    await this.effects.applyAnswer(question, record)
    await this.log.append(record)
  }
}

function refuseUnfit({ kind }: Question, { answer, words, remember }: Answer): void {
  if (kind === 'scope' && answer !== 'allow' && answer !== 'deny')
    throw new EscrowError('unsupported', `A request for scope is answered with allow or deny, not with ${answer}.`)
  if (kind === 'command' && answer === 'subtree')
    throw new EscrowError('unsupported', 'A command is answered with allow, once or deny.')
  if (remember && (kind === 'scope' || answer === 'once'))
    throw new EscrowError(
      'unsupported',
      'Only allow, subtree and deny can be saved as a rule, and only for questions that a rule asks.',
    )
  if (answer === 'deny' && (words ?? '').trim() === '')
    throw new EscrowError('unsupported', 'Give a reason that the agent can act on.')
}

function noQuestion(id: string, open: readonly Question[]): EscrowError {
  const rest = open.length === 0 ? 'None is open.' : `Open are: ${open.map((each) => each.id).join(', ')}.`
  return new EscrowError('nothing_selected', `There is no open question ${id}. ${rest}`)
}
