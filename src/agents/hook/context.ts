import { intentPrompt, withFeedback } from '../../hooks/index.js'
import type { CallJudge, Feedback } from '../../index.js'

const STAGED = `You run inside an escrow session. The writes of your tools and commands are staged, and a person reviews them.`

const UNSTAGED = `Your own editing tools and terminal write directly to the disk, so escrow refuses them here. Use the tools of the \`escrow\` MCP server
instead: read_text_file, write_file, edit_file, create_directory, move_file, delete_file, execute_command, select_active_intent. What
they do is staged. Your own reading tools show the disk, not the staged files.`

/** Where a model is told the intent. */
export interface Conversation {
  /** The client's own id of the conversation. */
  readonly conversation: string
  /** Its model has what it was told before. */
  readonly goesOn: boolean
}

/** What a model is told at the beginning of its work; and later, where it has changed. */
export async function protocol(judge: CallJudge, isStaged: boolean, telling: Conversation): Promise<string> {
  const text = `${isStaged ? STAGED : UNSTAGED}\n\n${await intentPrompt(judge)}`
  const isNew = judge.isNews(telling.conversation, text)
  return withFeedback(isNew || !telling.goesOn ? text : '', await takeFeedback(judge))
}

/** What reviewers said, in words; '' where they said nothing new. */
export async function reviewersWords(judge: CallJudge): Promise<string> {
  return withFeedback('', await takeFeedback(judge))
}

/** Hearing needs the session, and a disk to note it on. Where they cannot be had the words come with a later call. */
async function takeFeedback(judge: CallJudge): Promise<Feedback[]> {
  return judge.feedback().catch(() => [])
}
