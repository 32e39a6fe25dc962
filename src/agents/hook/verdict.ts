import { dirname, resolve } from 'node:path'
import { defined } from '../../core/defined.js'
import { type CallJudge, toolError } from '../../index.js'
import { protocol, reviewersWords } from './context.js'
import { type HookDeps, intentFor, sessionFor } from './deps.js'
import { type HostCall, rule } from './ruling.js'

/** A client's event in no client's dialect. */
export interface HookEvent {
  /** `begins`: a conversation, or what is to be in each request to the model. `turns`: a turn of one. `ends`: a turn. `other`: nothing of ours. */
  readonly kind: 'tool' | 'after' | 'begins' | 'turns' | 'ends' | 'other'
  /** Who asks, for the ledger. */
  readonly agent: string
  /** The model that works, where the client says it. */
  readonly model?: string
  readonly session: string
  readonly cwd: string
  /** Of a `tool`. */
  readonly call?: HostCall
  /** It ends again after a round that we asked for. */
  readonly isAgain?: boolean
}

/** What is to be answered. `go` is no allowance: the client's own rules still hold. */
export type HookVerdict =
  | { readonly word: 'go' }
  | { readonly word: 'refuse'; readonly why: string }
  /** For the model. */
  | { readonly word: 'tell'; readonly words: string }
  /** The turn is not to end before the model has heard this. */
  | { readonly word: 'on'; readonly words: string }

const GO: HookVerdict = { word: 'go' }

/**
 * Judges an event of a client that can only refuse: what a person would have to be asked about, and what would have to be run by another
 * command, is refused. Rejects where nobody can judge.
 */
export async function verdictOn(event: HookEvent, deps: HookDeps): Promise<HookVerdict> {
  const root = deps.rootOf(event.cwd) ?? rootOfCall(event, deps)
  if (root === undefined) return elsewhere(event)
  const isStaged = deps.isInMount(root, deps.env)
  const session = sessionFor(deps, event.session)
  const { agent: tool, model } = event
  const agent = { tool, ...defined({ model }) }
  const judge = await deps.openJudge(root, { session, agent, ...intentFor(deps) })
  switch (event.kind) {
    case 'tool':
      await judge.introduceAgent()
      return onCall(judge, event, isStaged)
    case 'begins':
    case 'turns':
      return contextVerdict(
        await protocol(judge, isStaged, { conversation: event.session, goesOn: event.kind === 'turns' }),
      )
    case 'after':
      return contextVerdict(await reviewersWords(judge))
    case 'ends': {
      const words = event.isAgain === true ? '' : await reviewersWords(judge)
      return words === '' ? GO : { word: 'on', words }
    }
    case 'other':
      return GO
  }
}

function contextVerdict(words: string): HookVerdict {
  return words === '' ? GO : { word: 'tell', words }
}

async function onCall(judge: CallJudge, { call }: HookEvent, isStaged: boolean): Promise<HookVerdict> {
  if (!call) throw new Error('The event names no tool.')
  const ruling = await rule(judge, call, { isStaged, canContain: false })
  if (ruling.word === 'pass') return GO
  const words = await reviewersWords(judge)
  const why =
    ruling.word === 'refuse'
      ? JSON.stringify(toolError({ ...ruling.denial, tool: call.tool }))
      : refusalWithoutDialog(ruling)
  return { word: 'refuse', why: words === '' ? why : `${why}\n\n${words}` }
}

function refusalWithoutDialog(
  ruling: { readonly word: 'ask'; readonly why: string } | { readonly word: 'contain' },
): string {
  return ruling.word === 'ask' ? ruling.why : 'Its command cannot be contained here.'
}

/** Of what a call points to, where it is made from no workspace. */
function rootOfCall({ call }: HookEvent, { rootOf }: HookDeps): string | undefined {
  const files = [...(call?.writes ?? []).map(({ path }) => path), ...(call?.reads ?? [])]
  const places = [...files.map((file) => dirname(file)), ...(call?.searches ?? [])]
  return places.map((place) => rootOf(resolve(place))).find((root) => root !== undefined)
}

/** Nothing says there what is allowed. What cannot harm goes on. */
function elsewhere({ kind, call }: HookEvent): HookVerdict {
  if (kind !== 'tool' || call?.class === 'read' || call?.class === 'question') return GO
  const why = 'This is no escrow workspace: nothing says what is allowed here, and nothing is staged.'
  return { word: 'refuse', why }
}
