import { isWithin, parentOf, type RelPath } from '../../overlay/index.js'
import type { Question } from '../core/question.js'
import { questionSchema } from './question-schema.js'
import type { AnswerRecord, ReviewRecord } from './record-schema.js'

/** Questions of a session, from the notes in its stage's log, and what reviewers answered, from its review log. */

/** The kind of note a question is kept as. */
export const QUESTION = 'question'

/** Those nobody has answered, in order. */
export function openQuestions(notes: readonly unknown[], records: readonly ReviewRecord[]): Question[] {
  const answered = new Set(answersIn(records).map((record) => record.question))
  return notes.map((note) => questionSchema.parse(note) as Question).filter(({ id }) => !answered.has(id))
}

export function answersIn(records: readonly ReviewRecord[]): AnswerRecord[] {
  return records.filter((record) => record.kind === 'answer')
}

/** The answer that holds for a path now, the latest first; `isSpent` tells which `once` has had its use. */
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

/** Whether something below a directory may be written by an answer that holds now. */
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

/** The answer that holds for a command now, the latest first. */
export function commandAnswer(
  key: string,
  answers: readonly AnswerRecord[],
  isSpent: (record: AnswerRecord) => boolean,
): AnswerRecord | undefined {
  return answers.findLast((record) => record.key === key && !(record.answer === 'once' && isSpent(record)))
}
