import type { CommitOptions } from '../../index.js'
import { detailsOf, joinSentences } from '../failure.js'
import { commitMessage } from './message.js'
import type { EffectRunnerDeps } from './runner-deps.js'
import type { Message } from './state.js'

/** Commits what is approved. Resolves with the message to show, also for a refusal. */
export async function commitApproved(
  { review }: Pick<EffectRunnerDeps, 'review'>,
  options: Pick<CommitOptions, 'merge' | 'signal' | 'onProgress'>,
): Promise<Message> {
  try {
    return commitMessage(await review.commit(options))
  } catch (error) {
    return { text: refusalText(error, options.merge === true), kind: 'failed' }
  }
}

function refusalText(error: unknown, merge: boolean): string {
  const { message, hint = '', reason, refused } = detailsOf(error)
  if (reason === 'unticked') return `${message} T shows the checklist.`
  const isDrift = reason === 'stale_file' && refused.length > 0
  return joinSentences(message, hint, isDrift && !merge ? 'c, then m merges with what is on disk.' : '')
}
