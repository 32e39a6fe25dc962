import { type CallJudge, toolError } from '../../index.js'
import { protocol, reviewersWords } from '../hook/context.js'
import { type HookDeps, hookDeps, intentFor, sessionFor } from '../hook/deps.js'
import { type Ruling, rule } from '../hook/ruling.js'
import { type ClineEvent, clineEvent } from './events.js'
import { clineCall } from './tools.js'

/**
 * One answer that both of Cline's dialects understand, and no other client is to be given: `cancel` is the only word that
 * holds a tool, `review` asks the person where the SDK runs, `contextModification` and `context` reach the model.
 */
export interface ClineAnswer {
  readonly cancel: boolean
  readonly errorMessage?: string
  readonly contextModification: string
  readonly context?: string
  readonly review?: true
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
  return held(
    `escrow could not judge this, so it is refused: ${error instanceof Error ? error.message : String(error)}`,
  )
}

async function answer(event: ClineEvent, deps: HookDeps): Promise<ClineAnswer> {
  const [first = deps.cwd] = event.roots
  const root = deps.rootOf(first)
  const call = event.tool && clineCall(event.tool.name, event.tool.input, first, event.tool.id)
  if (root === undefined) {
    if (!call || call.class === 'read' || call.class === 'question') return goesOn('')
    const why = 'This is no escrow workspace: nothing says what is allowed here, and nothing is staged.'
    return event.canAsk ? asks(why) : held(why)
  }
  const isStaged = deps.isInMount(root, deps.env)
  const session = sessionFor(deps, event.task ?? 'cline')
  const judge = await deps.openJudge(root, { session, agent: { tool: 'cline' }, ...intentFor(deps) })
  if (!call) return goesOn(await contextOf(judge, event, isStaged))
  const ruling = await rule(judge, call, { isStaged, canContain: false })
  return said(ruling, call.tool, event, await reviewersWords(judge))
}

const BEGINNINGS = ['TaskStart', 'TaskResume', 'UserPromptSubmit', 'agent_start', 'agent_resume', 'prompt_submit']

async function contextOf(judge: CallJudge, { name }: ClineEvent, isStaged: boolean): Promise<string> {
  return BEGINNINGS.includes(name) ? protocol(judge, isStaged) : reviewersWords(judge)
}

function said(ruling: Ruling, tool: string, { canAsk }: ClineEvent, words: string): ClineAnswer {
  switch (ruling.word) {
    case 'pass':
      return goesOn(words)
    case 'ask':
      return canAsk ? asks(ruling.why) : held(ruling.why)
    case 'refuse':
      return held(
        [JSON.stringify(toolError({ ...ruling.denial, tool })), words].filter((each) => each !== '').join('\n\n'),
      )
    case 'contain':
      return held('Its command cannot be contained here.')
  }
}

function goesOn(words: string): ClineAnswer {
  const context = cut(words)
  return { cancel: false, contextModification: context, ...(context !== '' && { context }) }
}

function asks(why: string): ClineAnswer {
  return { cancel: false, review: true, contextModification: '', context: why }
}

/** The run ends with it, and its model hears of it when it goes on. */
function held(why: string): ClineAnswer {
  const errorMessage = cut(why)
  return { cancel: true, errorMessage, contextModification: errorMessage, context: errorMessage }
}

function cut(text: string): string {
  return text.length > MOST_CONTEXT ? `${text.slice(0, MOST_CONTEXT)}…` : text
}
