import type { Answer, AnswerWord, Question } from 'escrowfs'
import type * as vscode from 'vscode'
import type { Desk } from './desk.js'
import type { QuestionNode } from './nodes.js'
import { admitted, wordsFor } from './person.js'
import { textOfQuestion } from './words.js'

const CHOICES: Readonly<Record<Question['kind'], Readonly<Record<string, AnswerWord>>>> = {
  access: { Allow: 'allow', Once: 'once', 'Its directory': 'subtree', Deny: 'deny' },
  command: { Allow: 'allow', Once: 'once', Deny: 'deny' },
  scope: { 'Add to the scope': 'allow', Deny: 'deny' },
}

/** Asks the person, and takes the answer to the session. A notification that is closed leaves the question open. */
export async function ask(api: typeof vscode, { look, question }: QuestionNode): Promise<void> {
  const { room, summary } = look
  const { plainName } = room.library.editor
  const choices = CHOICES[question.kind]
  const text = plainName(`${summary.id}: ${textOfQuestion(question)}`)
  const chosen = await api.window.showInformationMessage(text, ...Object.keys(choices))
  const answer = chosen === undefined ? undefined : choices[chosen]
  if (answer === undefined) return
  if (!(await admitted(api, room, { what: `Answer ${answer}? ${textOfQuestion(question)}` }))) return
  const words = answer === 'deny' ? await wordsFor(api, 'Why not? The agent reads it at its next call.') : undefined
  if (answer === 'deny' && words === undefined) return
  const review = await room.workspace.review(summary.id)
  const given: Answer = { answer, ...(words !== undefined && { words }) }
  await review.answer(question.id, given)
}

/** Asks about each question once, as soon as it is seen; the tree keeps those that were not answered. */
export function askAtOnce(desk: Desk, ask: (node: QuestionNode) => void): vscode.Disposable {
  const asked = new Set<string>()
  return desk.onDidChange(() => {
    for (const look of desk.looks)
      for (const question of look.questions) {
        if (asked.has(question.id)) continue
        asked.add(question.id)
        ask({ kind: 'question', look, question })
      }
  })
}
