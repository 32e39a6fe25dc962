import { dirname, resolve } from 'node:path'
import { defined } from '../../core/defined.js'
import { type CallJudge, toolError } from '../../index.js'
import { feedbackText, protocolText } from './context.js'
import { type HookDeps, intentOption, sessionIdFor } from './deps.js'
import { type HostCall, ruleOnCall } from './ruling.js'

/** A client's event, independent of the client's dialect. */
export interface HookEvent {
  /**
   * `begins`: a conversation starts, or context for each model request is asked for. `turns`: a turn starts. `ends`: a
   * turn ends. `other`: ignored.
   */
  readonly kind: 'tool' | 'after' | 'begins' | 'turns' | 'ends' | 'other'
  /** The agent's name in the ledger. */
  readonly agent: string
  /** The model, if the client names it. */
  readonly model?: string
  readonly session: string
  readonly cwd: string
  /** Only with kind `tool`. */
  readonly call?: HostCall
  /** The turn was already continued once because of our answer. */
  readonly isContinued?: boolean
}

/** The answer to an event. `pass` grants nothing: the client's own rules still apply. */
export type HookVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'refuse'; readonly why: string }
  /** Text for the model. */
  | { readonly kind: 'context'; readonly words: string }
  /** The turn must not end before the model has read this text. */
  | { readonly kind: 'continue'; readonly words: string }

const PASS: HookVerdict = { kind: 'pass' }

/**
 * Judges an event of a client whose hooks can only refuse. A call that would need a person's answer or a replaced command is refused.
 * Rejects if no judgement is possible.
 */
export async function verdictOn(event: HookEvent, deps: HookDeps): Promise<HookVerdict> {
  const root = deps.rootOf(event.cwd) ?? rootOfCall(event, deps)
  if (root === undefined) return outsideWorkspace(event)
  const isStaged = deps.isInMount(root, deps.env)
  const session = sessionIdFor(deps, event.session)
  const { agent: tool, model } = event
  const agent = { tool, ...defined({ model }) }
  const judge = await deps.openJudge(root, { session, agent, ...intentOption(deps) })
  switch (event.kind) {
    case 'tool':
      await judge.introduceAgent()
      return judgeCall(judge, event, isStaged)
    case 'begins':
    case 'turns':
      return contextVerdict(
        await protocolText(judge, isStaged, { conversation: event.session, proceed: event.kind === 'turns' }),
      )
    case 'after':
      return contextVerdict(await feedbackText(judge))
    case 'ends': {
      const feedback = event.isContinued === true ? '' : await feedbackText(judge)
      return feedback === '' ? PASS : { kind: 'continue', words: feedback }
    }
    case 'other':
      return PASS
  }
}

function contextVerdict(context: string): HookVerdict {
  return context === '' ? PASS : { kind: 'context', words: context }
}

async function judgeCall(judge: CallJudge, { call }: HookEvent, isStaged: boolean): Promise<HookVerdict> {
  if (!call) throw new Error('The event names no tool.')
  const ruling = await ruleOnCall(judge, call, { isStaged, canContain: false })
  if (ruling.kind === 'pass') return PASS
  const feedback = await feedbackText(judge)
  const why =
    ruling.kind === 'refuse'
      ? JSON.stringify(toolError({ ...ruling.denial, tool: call.tool }))
      : refusalWithoutDialog(ruling)
  return { kind: 'refuse', why: feedback === '' ? why : `${why}\n\n${feedback}` }
}

function refusalWithoutDialog(
  ruling: { readonly kind: 'ask'; readonly why: string } | { readonly kind: 'contain' },
): string {
  return ruling.kind === 'ask'
    ? ruling.why
    : "This machine cannot contain its command. A person can run 'escrow doctor' to see why."
}

/** The workspace of the files that a call names, for a call from outside any workspace. */
function rootOfCall({ call }: HookEvent, { rootOf }: HookDeps): string | undefined {
  const files = [...(call?.writes ?? []).map(({ path }) => path), ...(call?.reads ?? [])]
  const places = [...files.map((file) => dirname(file)), ...(call?.searches ?? [])]
  return places.map((place) => rootOf(resolve(place))).find((root) => root !== undefined)
}

/** Outside any workspace there is no policy: only harmless calls pass. */
function outsideWorkspace({ kind, call }: HookEvent): HookVerdict {
  if (kind !== 'tool' || call?.class === 'read' || call?.class === 'question') return PASS
  const why =
    "This directory is not an escrow workspace, so nothing can be staged. A person can run 'escrow init' here."
  return { kind: 'refuse', why }
}
