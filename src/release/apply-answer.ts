import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import type { Question } from '../core/question.js'
import type { VersionData } from '../history/index.js'
import { rememberCommand, rememberRule } from '../policy-edit/index.js'
import { type AnswerRecord, reviewerOf } from '../review/index.js'
import { type DataOf, newDraft } from '../trace/index.js'
import type { ReviewedSession } from './reviewed-session.js'

/**
 * Applies an answer before the session gets it: adds accepted globs to the intent, writes an answer to remember into
 * policy.yaml, and records the answer in the ledger.
 */
export async function applyAnswer(session: ReviewedSession, question: Question, record: AnswerRecord): Promise<void> {
  if (question.kind === 'scope' && record.answer === 'allow') {
    await session.versions.edit(
      (edits) => edits.change(question.intentId, { addScope: question.globs }),
      (_, data) => append(session, question, record, data),
    )
    return
  }
  await append(session, question, record, await rememberAnswer(session.layout, question, record))
}

type Remembered = Pick<DataOf<'verdict'>, 'remembered'>

async function rememberAnswer(layout: Layout, question: Question, record: AnswerRecord): Promise<Remembered> {
  if (!record.remember) return {}
  if (question.kind === 'access') return { remembered: { ...(await rememberRule(layout, question, record)) } }
  if (question.kind !== 'command') return {}
  return { remembered: { ...(await rememberCommand(layout, question, record)) } }
}

/** An answer to a scope request is recorded as `scope_changed`, any other as a `verdict`. */
async function append(
  { sessionId, ledger }: ReviewedSession,
  question: Question,
  record: AnswerRecord,
  data: VersionData | Remembered,
): Promise<void> {
  const { answer, words = question.kind === 'scope' ? question.why : undefined, by } = record
  await ledger.append([
    newDraft({
      type: question.kind === 'scope' ? 'scope_changed' : 'verdict',
      intent: question.intentId ?? null,
      session: sessionId,
      verdict: answer === 'deny' ? 'rejected' : 'approved',
      paths: question.kind === 'scope' ? question.globs : question.kind === 'access' ? [question.path] : [],
      reviewer: reviewerOf(by),
      ...defined({ words }),
      data: {
        question: question.id,
        answer,
        ...(question.kind === 'command' && { command: question.command }),
        ...data,
      },
    }),
  ])
}
