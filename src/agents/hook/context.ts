import { intentPrompt, withFeedback } from '../../hooks/index.js'
import type { CallJudge, Feedback } from '../../index.js'

const STAGED = `You run inside an escrow session. The writes of your tools and commands are staged, and a person reviews them.`

const UNSTAGED = `Your own editing tools and terminal write directly to the disk, so escrow refuses them here. Use the tools of the \`escrow\` MCP server
instead: read_text_file, write_file, edit_file, create_directory, move_file, delete_file, execute_command, select_active_intent. What
they do is staged. Your own reading tools show the disk, not the staged files.`

/** The conversation that gets a text. */
export interface Conversation {
  /** The client's own id of the conversation. */
  readonly conversation: string
  /** Whether its model still has the earlier texts. */
  readonly proceed: boolean
}

/** The text for a model at the beginning of its work, and again when it has changed. */
export async function protocolText(judge: CallJudge, isStaged: boolean, conversation: Conversation): Promise<string> {
  const text = `${isStaged ? STAGED : UNSTAGED}\n\n${await intentPrompt(judge)}`
  const isNew = judge.isNews(conversation.conversation, text)
  return withFeedback(isNew || !conversation.proceed ? text : '', await takeFeedback(judge))
}

/** The undelivered feedback as text; empty if there is none. */
export async function feedbackText(judge: CallJudge): Promise<string> {
  return withFeedback('', await takeFeedback(judge))
}

/** Delivery needs the session and a writable disk. Without them a later call delivers the feedback. */
async function takeFeedback(judge: CallJudge): Promise<Feedback[]> {
  return judge.feedback().catch(() => [])
}
