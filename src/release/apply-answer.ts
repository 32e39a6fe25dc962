import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import type { Question } from '../core/question.js'
import type { IntentVersions, VersionData } from '../history/index.js'
import { rememberCommand, rememberRule } from '../policy/index.js'
import { type AnswerRecord, reviewerOf } from '../review/index.js'
import { type Json, type LedgerStore, newDraft } from '../trace/index.js'

export interface Answered {
  readonly layout: Layout
  readonly sessionId: string
  readonly ledger: LedgerStore
  readonly versions: IntentVersions
}

/**
 * Does what an answer says, beside letting the session know: accepted globs go into the intent, what is to be
 * remembered into policy.yaml, and the answer into the ledger.
 */
export async function applyAnswer(of: Answered, question: Question, record: AnswerRecord): Promise<void> {
  if (question.kind === 'scope' && record.answer === 'allow') {
    await of.versions.edit(
      (edits) => edits.change(question.intentId, { addScope: question.globs }),
      (_, data) => append(of, question, record, data),
    )
    return
  }
  await append(of, question, record, await rememberAnswer(of.layout, question, record))
}

async function rememberAnswer(layout: Layout, question: Question, record: AnswerRecord): Promise<Record<string, Json>> {
  if (!record.remember) return {}
  if (question.kind === 'access') return { remembered: { ...(await rememberRule(layout, question, record)) } }
  if (question.kind !== 'command') return {}
  return { remembered: { ...(await rememberCommand(layout, question, record)) } }
}

/** An answer to a request for scope is a change of the scope, or a refusal of one. */
async function append(
  { sessionId, ledger }: Answered,
  question: Question,
  record: AnswerRecord,
  data: VersionData | Record<string, Json>,
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
