import { type CallJudge, toolError } from '../../index.js'
import { errorText } from '../../surface/index.js'
import { feedbackText, protocolText } from '../hook/context.js'
import { type HookDeps, hookDeps, intentOption, sessionIdFor } from '../hook/deps.js'
import { ruleOnCall } from '../hook/ruling.js'
import { buildShellLine } from '../hook/shell-line.js'
import { type ClineEvent, parseClineEvent } from './events.js'
import { clineCall, emptyInput, mapCommands } from './tools.js'

/**
 * One answer that both of Cline's dialects understand; it is not for other clients. Only `cancel` blocks a tool, and it ends the
 * run. With the SDK, `review` asks the person, and `overrideInput` replaces the input. `contextModification` and `context` reach
 * the model.
 */
export interface ClineAnswer {
  readonly cancel: boolean
  readonly errorMessage?: string
  readonly contextModification: string
  readonly context?: string
  readonly review?: true
  readonly overrideInput?: Readonly<Record<string, unknown>>
}

/** Far below the 50 KB that Cline reads. */
const MAX_CONTEXT = 30_000

/** Never rejects: Cline ignores exit codes, so a failure becomes a refusal. */
export async function answerCline(text: string, more: Partial<HookDeps> = {}): Promise<ClineAnswer> {
  try {
    return await answer(parseClineEvent(text), hookDeps(more))
  } catch (error) {
    return clineFailure(error)
  }
}

/** The answer to an event that could not be judged. */
export function clineFailure(error: unknown): ClineAnswer {
  return refuseCall(`escrow could not check this call, so it is refused: ${errorText(error)}`)
}

async function answer(event: ClineEvent, deps: HookDeps): Promise<ClineAnswer> {
  const [first = deps.cwd] = event.roots
  const root = deps.rootOf(first)
  const call = event.tool && clineCall(event.tool.name, event.tool.input, first, event.tool.id)
  if (root === undefined) {
    if (!call || call.class === 'read' || call.class === 'question') return proceed('')
    const why =
      "This directory is not an escrow workspace, so nothing can be staged. A person can run 'escrow init' here."
    return event.isSdk ? askPerson(why) : refuseCall(why)
  }
  const isStaged = deps.isInMount(root, deps.env)
  const session = sessionIdFor(deps, event.task ?? 'cline')
  const judge = await deps.openJudge(root, { session, agent: { tool: 'cline' }, ...intentOption(deps) })
  const conversation = event.task ?? session
  if (!event.tool || !call) return proceed(await contextOf(judge, event, { isStaged, conversation }))
  const { name: tool, input } = event.tool
  const ruling = await ruleOnCall(judge, call, { isStaged, canContain: event.isSdk && tool === 'run_commands' })
  const empty = event.isSdk ? emptyInput(tool) : undefined
  switch (ruling.kind) {
    case 'pass':
      return proceed(await toolContext(judge, event, { isStaged, conversation }))
    case 'ask':
      return event.isSdk ? askPerson(ruling.why) : refuseCall(ruling.why)
    case 'refuse': {
      const why = JSON.stringify(toolError({ ...ruling.denial, tool }))
      if (empty === undefined) return refuseCall(joinParagraphs(why, await feedbackText(judge)))
      return replaceInput(empty, joinParagraphs(why, await toolContext(judge, event, { isStaged, conversation })))
    }
    case 'contain': {
      const contained = mapCommands(tool, input, (command) => buildShellLine(judge, command, deps.env))
      if (contained === undefined)
        return refuseCall("This machine cannot contain its command. A person can run 'escrow doctor' to see why.")
      return replaceInput(contained, await toolContext(judge, event, { isStaged, conversation }))
    }
  }
}

interface ContextOptions {
  readonly isStaged: boolean
  readonly conversation: string
}

const START_EVENTS = ['TaskStart', 'TaskResume', 'UserPromptSubmit']
/** The SDK waits for the answers of these two events only. */
const SDK_CONTEXT_EVENTS = ['tool_call', 'tool_result']

async function contextOf(
  judge: CallJudge,
  event: ClineEvent,
  { isStaged, conversation }: ContextOptions,
): Promise<string> {
  if (event.isSdk) return toolContext(judge, event, { isStaged, conversation })
  return START_EVENTS.includes(event.name)
    ? protocolText(judge, isStaged, { conversation, proceed: false })
    : feedbackText(judge)
}

/** The SDK's model gets the intent with its first tool call, because its conversation has no earlier place for it. */
async function toolContext(
  judge: CallJudge,
  { name, isSdk }: ClineEvent,
  { isStaged, conversation }: ContextOptions,
): Promise<string> {
  if (!isSdk) return feedbackText(judge)
  return SDK_CONTEXT_EVENTS.includes(name) ? protocolText(judge, isStaged, { conversation, proceed: true }) : ''
}

function joinParagraphs(...paragraphs: readonly string[]): string {
  return paragraphs.filter((each) => each !== '').join('\n\n')
}

/** Continues the run with another input for the tool. */
function replaceInput(overrideInput: Readonly<Record<string, unknown>>, context: string): ClineAnswer {
  return { ...proceed(context), overrideInput }
}

function proceed(text: string): ClineAnswer {
  const context = truncateContext(text)
  return { cancel: false, contextModification: context, ...(context !== '' && { context }) }
}

function askPerson(why: string): ClineAnswer {
  return { cancel: false, review: true, contextModification: '', context: why }
}

/** Ends the run. The model gets the reason when the run is resumed. */
function refuseCall(why: string): ClineAnswer {
  const errorMessage = truncateContext(why)
  return { cancel: true, errorMessage, contextModification: errorMessage, context: errorMessage }
}

function truncateContext(text: string): string {
  return text.length > MAX_CONTEXT ? `${text.slice(0, MAX_CONTEXT)}…` : text
}
