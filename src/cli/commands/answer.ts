import { Argument, type Command } from 'commander'
import { defined } from '../../core/defined.js'
import type { Answer, Reviewer } from '../../index.js'
import { stateOfSession } from '../../surface/index.js'
import type { Context } from '../context.js'
import { describeDelivery } from '../delivery.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { findQuestion } from '../questions.js'
import { byOption } from '../reviewer.js'

interface Options extends AsJson {
  readonly reason?: string
  readonly remember?: true
  readonly by?: Reviewer
}

const ANSWERS: readonly Answer['answer'][] = ['allow', 'once', 'subtree', 'deny']

export function register(command: Command, { io, asReviewer, root }: Context): void {
  command
    .description(
      "Answer an agent's question. `allow` covers the path or the command, or adds the requested globs to the intent's scope. `subtree` covers its directory, `once` for one tool call or run. `deny` needs a reason.",
    )
    .argument('<session>', "the session's id")
    .argument('<question>', "the question's id or its beginning, as 'escrow questions' lists it")
    .addArgument(new Argument('<answer>', 'your answer').choices(ANSWERS))
    .option('--reason <text>', 'the reason, for the agent')
    .option('--remember', 'also write a rule to policy.yaml, for all sessions (for a command: for its classes)')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(
      async (
        session: string,
        question: string,
        answer: Answer['answer'],
        { reason, remember, by, json: asJson }: Options,
      ) => {
        if (answer === 'deny' && (reason ?? '').trim() === '')
          return command.error("error: 'deny' needs '--reason TEXT': a reason that the agent can act on")
        const answered = await asReviewer(async (workspace) => {
          const review = await workspace.review(session)
          const { id } = findQuestion(question, await review.questions(), `escrow questions ${session}`)
          await review.answer(id, {
            answer,
            ...defined({ words: reason, by }),
            ...(remember && { remember }),
          })
          return id
        })
        if (asJson) return io.out(json({ session, question: answered, answer }))
        io.out(`Answered: ${answer}. ${describeDelivery(stateOfSession(root(), session), 'your answer')}\n`)
      },
    )
}
