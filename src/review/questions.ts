import { isWithin, parentOf, type RelPath } from '../../overlay/index.js'
import type { Question } from '../core/question.js'
import { questionSchema } from './question-schema.js'
import type { AnswerRecord, ReviewRecord } from './record-schema.js'

/** A session's questions, from the notes in its stage's log, and the reviewers' answers, from its review log. */

/** The kind of the notes that hold questions. */
export const QUESTION = 'question'

/** The unanswered questions, in order. An answer for a whole directory also answers the questions about other paths below it. */
export function openQuestions(notes: readonly unknown[], records: readonly ReviewRecord[]): Question[] {
  const answers = answersIn(records)
  const answered = new Set(answers.map((record) => record.question))
  const isCovered = (question: Question) =>
    question.kind === 'access' && answerFor(question.path, answers, () => true) !== undefined
  return notes
    .map((note) => questionSchema.parse(note) as Question)
    .filter((question) => !answered.has(question.id) && !isCovered(question))
}

export function answersIn(records: readonly ReviewRecord[]): AnswerRecord[] {
  return records.filter((record) => record.kind === 'answer')
}

/** The latest answer in force for a path. `isSpent` tells whether a `once` answer was used. */
export function answerFor(
  path: string,
  answers: readonly AnswerRecord[],
  isSpent: (record: AnswerRecord) => boolean,
): AnswerRecord | undefined {
  return answers.findLast((record) => {
    if (record.path === undefined) return false
    if (record.answer === 'subtree') return isWithin(path, parentOf(record.path as RelPath))
    return record.path === path && !(record.answer === 'once' && isSpent(record))
  })
}

/** Whether an answer in force allows a write below a directory. */
export function letsBelow(
  dir: string,
  answers: readonly AnswerRecord[],
  isSpent: (record: AnswerRecord) => boolean,
): boolean {
  const below = new Set(answers.flatMap(({ path = '' }) => (path !== dir && isWithin(path, dir) ? [path] : [])))
  return [...below].some((path) => {
    const record = answerFor(path, answers, isSpent)
    return record !== undefined && record.answer !== 'deny'
  })
}

/** The latest answer in force for a command. */
export function commandAnswer(
  key: string,
  answers: readonly AnswerRecord[],
  isSpent: (record: AnswerRecord) => boolean,
): AnswerRecord | undefined {
  return answers.findLast((record) => record.key === key && !(record.answer === 'once' && isSpent(record)))
}
