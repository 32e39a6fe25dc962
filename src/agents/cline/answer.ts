import { type CallJudge, toolError } from '../../index.js'
import { errorText } from '../../surface/index.js'
import { protocol, reviewersWords } from '../hook/context.js'
import { type HookDeps, hookDeps, intentFor, sessionFor } from '../hook/deps.js'
import { rule } from '../hook/ruling.js'
import { shellLine } from '../hook/shell-line.js'
import { type ClineEvent, clineEvent } from './events.js'
import { clineCall, commandsThrough, emptyInput } from './tools.js'

/**
 * One answer that both of Cline's dialects understand, and no other client is to be given: `cancel` is the only word that
 * holds a tool, and it ends the run; `review` asks the person where the SDK runs, which takes `overrideInput` as well;
 * `contextModification` and `context` reach the model.
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
const MOST_CONTEXT = 30_000

/** Never rejects: exit codes hold nothing at Cline's, so what fails here is said as a refusal. */
export async function answerCline(text: string, more: Partial<HookDeps> = {}): Promise<ClineAnswer> {
  try {
    return await answer(clineEvent(text), hookDeps(more))
  } catch (error) {
    return clineFailure(error)
  }
}

/** The answer where nobody could judge. */
export function clineFailure(error: unknown): ClineAnswer {
  return refuseCall(`escrow could not check this call, so it is refused: ${errorText(error)}`)
}

async function answer(event: ClineEvent, deps: HookDeps): Promise<ClineAnswer> {
  const [first = deps.cwd] = event.roots
  const root = deps.rootOf(first)
  const call = event.tool && clineCall(event.tool.name, event.tool.input, first, event.tool.id)
  if (root === undefined) {
    if (!call || call.class === 'read' || call.class === 'question') return goesOn('')
    const why =
      "This directory is not an escrow workspace, so nothing can be staged. A person can run 'escrow init' here."
    return event.isSdk ? asks(why) : refuseCall(why)
  }
  const isStaged = deps.isInMount(root, deps.env)
  const session = sessionFor(deps, event.task ?? 'cline')
  const judge = await deps.openJudge(root, { session, agent: { tool: 'cline' }, ...intentFor(deps) })
  const conversation = event.task ?? session
  if (!event.tool || !call) return goesOn(await contextOf(judge, event, { isStaged, conversation }))
  const { name: tool, input } = event.tool
  const ruling = await rule(judge, call, { isStaged, canContain: event.isSdk && tool === 'run_commands' })
  const empty = event.isSdk ? emptyInput(tool) : undefined
  switch (ruling.kind) {
    case 'pass':
      return goesOn(await toolContext(judge, event, { isStaged, conversation }))
    case 'ask':
      return event.isSdk ? asks(ruling.why) : refuseCall(ruling.why)
    case 'refuse': {
      const why = JSON.stringify(toolError({ ...ruling.denial, tool }))
      if (empty === undefined) return refuseCall(joinParagraphs(why, await reviewersWords(judge)))
      return instead(empty, joinParagraphs(why, await toolContext(judge, event, { isStaged, conversation })))
    }
    case 'contain': {
      const contained = commandsThrough(tool, input, (command) => shellLine(judge, command, deps.env))
      if (contained === undefined)
        return refuseCall("This machine cannot contain its command. A person can run 'escrow doctor' to see why.")
      return instead(contained, await toolContext(judge, event, { isStaged, conversation }))
    }
  }
}

interface Place {
  readonly isStaged: boolean
  readonly conversation: string
}

const BEGINNINGS = ['TaskStart', 'TaskResume', 'UserPromptSubmit']
/** The SDK waits for the answers of these two events, and for no other's. */
const SDK_WAITS = ['tool_call', 'tool_result']

async function contextOf(judge: CallJudge, event: ClineEvent, { isStaged, conversation }: Place): Promise<string> {
  if (event.isSdk) return toolContext(judge, event, { isStaged, conversation })
  return BEGINNINGS.includes(event.name)
    ? protocol(judge, isStaged, { conversation, goesOn: false })
    : reviewersWords(judge)
}

/** The SDK's model is told the intent beside its first tool, as its conversation has no earlier place for it. */
async function toolContext(
  judge: CallJudge,
  { name, isSdk }: ClineEvent,
  { isStaged, conversation }: Place,
): Promise<string> {
  if (!isSdk) return reviewersWords(judge)
  return SDK_WAITS.includes(name) ? protocol(judge, isStaged, { conversation, goesOn: true }) : ''
}

function joinParagraphs(...words: readonly string[]): string {
  return words.filter((each) => each !== '').join('\n\n')
}

/** The run goes on, with another input for the tool. */
function instead(overrideInput: Readonly<Record<string, unknown>>, words: string): ClineAnswer {
  return { ...goesOn(words), overrideInput }
}

function goesOn(words: string): ClineAnswer {
  const context = truncateContext(words)
  return { cancel: false, contextModification: context, ...(context !== '' && { context }) }
}

function asks(why: string): ClineAnswer {
  return { cancel: false, review: true, contextModification: '', context: why }
}

/** The run ends with it, and its model hears of it when it goes on. */
function refuseCall(why: string): ClineAnswer {
  const errorMessage = truncateContext(why)
  return { cancel: true, errorMessage, contextModification: errorMessage, context: errorMessage }
}

function truncateContext(text: string): string {
  return text.length > MOST_CONTEXT ? `${text.slice(0, MOST_CONTEXT)}…` : text
}
