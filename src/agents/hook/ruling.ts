import { relative } from 'node:path'
import { defined } from '../../core/defined.js'
import type { ToolClass } from '../../hooks/index.js'
import type { CallJudge, Denial, JudgedCall } from '../../index.js'

/** A call of one of the host's own tools, as the adapter reads it. */
export interface HostCall
  extends Pick<JudgedCall, 'id' | 'writes' | 'reads' | 'searches' | 'command' | 'declaresClass'> {
  readonly tool: string
  /** `ours`: a tool of our own MCP server, which judges it itself. */
  readonly class: ToolClass | 'ours'
}

/** The decision on a call. `pass` grants nothing: the host's own rules still apply. */
export type Ruling =
  | { readonly kind: 'pass' }
  | { readonly kind: 'refuse'; readonly denial: Denial }
  | { readonly kind: 'ask'; readonly why: string }
  /** The host must run this command in our terminal instead. */
  | { readonly kind: 'contain'; readonly command: string }

export interface Staging {
  /** The host runs inside a session's mount, so its writes are staged. */
  readonly isStaged: boolean
  /** The host accepts a replacement for the command it was going to run. */
  readonly canContain: boolean
}

/**
 * Decides on a call: first by policy, which gives the same denial wherever the host runs, then by the place that the
 * effects would reach. A hook cannot stage writes, so outside a mount a call that changes something is refused or
 * replaced by our own terminal.
 */
export async function ruleOnCall(judge: CallJudge, call: HostCall, staging: Staging): Promise<Ruling> {
  if (call.class === 'ours') return { kind: 'pass' }
  const isSafe = call.class === 'read' || call.class === 'question'
  const { gate } = judge
  const { isStaged } = staging
  const { writes = [], command, ...plain } = call
  const needsIntent = gate.tools === 'all' || (writes.length === 0 && !isSafe)
  const denial = missingTarget(call)
  if (denial) return recordRefusal(judge, call, denial)
  // Our terminal judges the command, and asks a person, when it runs.
  const judged = await judge.judge({
    ...plain,
    writes,
    needsIntent,
    ...(isStaged && command !== undefined && { command }),
  })
  if (judged) return { kind: 'refuse', denial: judged }
  if (isSafe) return { kind: 'pass' }
  if (gate.modal === 'all' && isStaged) return { kind: 'ask', why: MODAL }
  return isStaged ? { kind: 'pass' } : ruleOnUnstaged(judge, call, staging)
}

async function ruleOnUnstaged(judge: CallJudge, call: HostCall, { canContain }: Staging): Promise<Ruling> {
  const { tool, command } = call
  if (call.class === 'unknown') return { kind: 'ask', why: unknownToolReason(tool) }
  if (call.class === 'write') return recordRefusal(judge, call, notStaged(call, judge.root))
  if (command === undefined || !canContain) return recordRefusal(judge, call, notContained(tool))
  if (judge.isHeld) return recordRefusal(judge, call, sessionBusy(tool, judge.session))
  return { kind: 'contain', command }
}

async function recordRefusal(judge: CallJudge, call: HostCall, denial: Denial): Promise<Ruling> {
  await judge.refuse(denial, call)
  return { kind: 'refuse', denial }
}

/** Refuses a write without a path and a terminal call without a command, which cannot be judged. */
function missingTarget({ tool, class: of, writes = [], command }: HostCall): Denial | undefined {
  if (of === 'write' && writes.length === 0)
    return { reason: 'unsupported', message: `${tool} names no file, so its write cannot be checked.`, tool }
  if (of === 'terminal' && (command === undefined || command.includes('\0')))
    return { reason: 'unsupported', message: `${tool} has no command that can be checked.`, tool }
  return undefined
}

const MODAL = 'policy.yaml asks a person about each call that changes something (approval.modal).'

const unknownToolReason = (tool: string) =>
  `escrow does not know what ${tool} does. Its changes would not be staged; they would reach the disk at once.`

const HINT =
  "Call the tools of the `escrow` MCP server: write_file, edit_file, create_directory, move_file, delete_file, execute_command (a person starts that server with 'escrow mcp')."

function notStaged({ tool, writes = [] }: HostCall, root: string): Denial {
  const [path] = writes.map((each) => relative(root, each.path))
  const message = `Not Staged: ${tool} would write directly to the disk, without a review.`
  return { reason: 'unsupported', message, hint: HINT, tool, ...defined({ file: path }) }
}

function notContained(tool: string): Denial {
  const message = `Not Contained: ${tool} would run directly on the disk, and its changes could not be reviewed.`
  return { reason: 'unsupported', message, hint: HINT, tool }
}

function sessionBusy(tool: string, session: string): Denial {
  const message = `Not Contained: another process holds session ${session}, so ${tool} cannot run in it.`
  return { reason: 'unsupported', message, hint: 'Call execute_command of the `escrow` MCP server.', tool }
}
