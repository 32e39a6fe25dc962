import { relative } from 'node:path'
import { defined } from '../../core/defined.js'
import type { ToolClass } from '../../hooks/index.js'
import type { CallJudge, Denial, JudgedCall } from '../../index.js'

/** A call of a host's own tool, as the host's adapter reads it. */
export interface HostCall
  extends Pick<JudgedCall, 'id' | 'writes' | 'reads' | 'searches' | 'command' | 'declaresClass'> {
  readonly tool: string
  /** `ours`: a tool of our own MCP server, which judges it itself. */
  readonly class: ToolClass | 'ours'
}

/** What becomes of a call. `pass` is no allowance: the host's own rules still hold. */
export type Ruling =
  | { readonly word: 'pass' }
  | { readonly word: 'refuse'; readonly denial: Denial }
  | { readonly word: 'ask'; readonly why: string }
  /** Its command is to be run by our terminal in its place. */
  | { readonly word: 'contain'; readonly command: string }

export interface Staging {
  /** The host runs inside of a session's mount: what it writes is staged. */
  readonly isStaged: boolean
  /** The host takes another command in the place of the one it was going to run. */
  readonly canContain: boolean
}

/**
 * Policy speaks first, in the same words wherever the host runs. Then it counts where what the tool does would go: a hook
 * cannot stage it, so outside of a mount what changes something is refused, or done by a door of ours.
 */
export async function rule(judge: CallJudge, call: HostCall, staging: Staging): Promise<Ruling> {
  if (call.class === 'ours') return { word: 'pass' }
  const isSafe = call.class === 'read' || call.class === 'question'
  const { gate } = judge
  const { isStaged } = staging
  const { writes = [], command, ...plain } = call
  const needsIntent = gate.tools === 'all' || (writes.length === 0 && !isSafe)
  const denial = namesNothing(call)
  if (denial) return recordRefusal(judge, call, denial)
  // By our terminal the command is judged, and a person asked, when it runs.
  const judged = await judge.judge({
    ...plain,
    writes,
    needsIntent,
    ...(isStaged && command !== undefined && { command }),
  })
  if (judged) return { word: 'refuse', denial: judged }
  if (isSafe) return { word: 'pass' }
  if (gate.modal === 'all' && isStaged) return { word: 'ask', why: MODAL }
  return isStaged ? { word: 'pass' } : ruleOnUnstaged(judge, call, staging)
}

async function ruleOnUnstaged(judge: CallJudge, call: HostCall, { canContain }: Staging): Promise<Ruling> {
  const { tool, command } = call
  if (call.class === 'unknown') return { word: 'ask', why: unknown(tool) }
  if (call.class === 'write') return recordRefusal(judge, call, notStaged(call, judge.root))
  if (command === undefined || !canContain) return recordRefusal(judge, call, notContained(tool))
  if (judge.isHeld) return recordRefusal(judge, call, sessionBusy(tool, judge.session))
  return { word: 'contain', command }
}

async function recordRefusal(judge: CallJudge, call: HostCall, denial: Denial): Promise<Ruling> {
  await judge.refuse(denial, call)
  return { word: 'refuse', denial }
}

/** What writes without saying where cannot be judged. */
function namesNothing({ tool, class: of, writes = [], command }: HostCall): Denial | undefined {
  if (of === 'write' && writes.length === 0)
    return { reason: 'unsupported', message: `${tool} names no file, so nobody can say whether it may write.`, tool }
  if (of === 'terminal' && (command === undefined || command.includes('\0')))
    return { reason: 'unsupported', message: `${tool} has no command that can be judged.`, tool }
  return undefined
}

const MODAL = 'Each call that changes something needs a person’s word (approval.modal of policy.yaml).'

const unknown = (tool: string) =>
  `escrowfs does not know what ${tool} does, and what it changes is not staged: it reaches the disk at once.`

const HINT =
  "Call the tools of the `escrow` MCP server: write_file, edit_file, create_directory, move_file, delete_file, execute_command ('escrow mcp' is that server)."

function notStaged({ tool, writes = [] }: HostCall, root: string): Denial {
  const [path] = writes.map((each) => relative(root, each.path))
  const message = `Not Staged: ${tool} would write to the disk itself, and nobody could review it.`
  return { reason: 'unsupported', message, hint: HINT, tool, ...defined({ file: path }) }
}

function notContained(tool: string): Denial {
  const message = `Not Contained: ${tool} would run on the disk itself, and what it does could not be reviewed.`
  return { reason: 'unsupported', message, hint: HINT, tool }
}

function sessionBusy(tool: string, session: string): Denial {
  const message = `Not Contained: session ${session} belongs to another process, so ${tool} cannot run in it.`
  return { reason: 'unsupported', message, hint: 'Call execute_command of the `escrow` MCP server.', tool }
}
