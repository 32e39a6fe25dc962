import type { Answer, AnswerWord, Question } from 'escrowfs'
import type * as vscode from 'vscode'
import { textOfQuestion } from './labels.js'
import type { QuestionNode } from './nodes.js'
import { askReason, mayDecide } from './person.js'
import type { ReviewModel } from './review-model.js'

const CHOICES: Readonly<Record<Question['kind'], Readonly<Record<string, AnswerWord>>>> = {
  access: { Allow: 'allow', Once: 'once', 'Its directory': 'subtree', Deny: 'deny' },
  command: { Allow: 'allow', Once: 'once', Deny: 'deny' },
  scope: { 'Add to the scope': 'allow', Deny: 'deny' },
}

/** Asks the person, and records the answer. Closing the notification leaves the question open. */
export async function ask(api: typeof vscode, { snapshot, question }: QuestionNode): Promise<void> {
  const { reviewed, summary } = snapshot
  const { plainName } = reviewed.library.editor
  const choices = CHOICES[question.kind]
  const text = plainName(`${summary.id}: ${textOfQuestion(question)}`)
  const chosen = await api.window.showInformationMessage(text, ...Object.keys(choices))
  const answer = chosen === undefined ? undefined : choices[chosen]
  if (answer === undefined) return
  if (!(await mayDecide(api, reviewed, { what: `Answer ${answer}? ${textOfQuestion(question)}` }))) return
  const words = answer === 'deny' ? await askReason(api, 'Why not? The agent reads it at its next call.') : undefined
  if (answer === 'deny' && words === undefined) return
  const review = await reviewed.workspace.review(summary.id)
  const reply: Answer = { answer, ...(words !== undefined && { words }) }
  await review.answer(question.id, reply)
}

/** Asks each new question once. The tree keeps unanswered ones. */
export function askNewQuestions(model: ReviewModel, ask: (node: QuestionNode) => void): vscode.Disposable {
  const asked = new Set<string>()
  return model.onDidChange(() => {
    for (const snapshot of model.sessions)
      for (const question of snapshot.questions) {
        if (asked.has(question.id)) continue
        asked.add(question.id)
        ask({ kind: 'question', snapshot, question })
      }
  })
}
