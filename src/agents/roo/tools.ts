import type { Feedback, Session } from '../../index.js'
import { applyDiff } from './apply-diff.js'
import { applyPatch } from './apply-patch.js'
import { edit, editFile, searchAndReplace, searchReplace } from './edit.js'
import { listFiles } from './list-files.js'
import { readFile } from './read-file.js'
import { failure, type RooToolResult, success } from './result.js'
import { searchFiles } from './search-files.js'
import { selectActiveIntent } from './select-active-intent.js'
import { type RooTool, ToolFailure } from './tool.js'
import { writeFile, writeToFile } from './write-to-file.js'

/** One tool call as the model made it. */
export interface RooToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: Record<string, unknown>
}

const TOOLS = {
  read_file: readFile,
  list_files: listFiles,
  search_files: searchFiles,
  write_to_file: writeToFile,
  write_file: writeFile,
  apply_diff: applyDiff,
  edit,
  search_and_replace: searchAndReplace,
  search_replace: searchReplace,
  edit_file: editFile,
  apply_patch: applyPatch,
  select_active_intent: selectActiveIntent,
} as const satisfies Record<string, RooTool>

export type RooToolName = keyof typeof TOOLS

export interface RooTools {
  readonly names: readonly RooToolName[]
  /** Never rejects: a refusal, wrong arguments and a failure are all results the model can read. */
  execute(call: RooToolCall): Promise<RooToolResult>
}

const NAMES = Object.keys(TOOLS).filter(isToolName)
const BY_NAME: ReadonlyMap<string, RooTool> = new Map(Object.entries(TOOLS))

function isToolName(name: string): name is RooToolName {
  return Object.hasOwn(TOOLS, name)
}

/** Roo Code's file tools, by the names and arguments its models know, executed on a session. */
export function createRooTools(session: Session): RooTools {
  return { names: NAMES, execute: (call) => execute(session, call) }
}

async function execute(session: Session, call: RooToolCall): Promise<RooToolResult> {
  let feedback: Feedback[] = []
  try {
    feedback = await session.feedback()
    const tool = BY_NAME.get(call.name)
    if (tool === undefined) throw new ToolFailure(`There is no tool ${call.name}. Use one of: ${NAMES.join(', ')}.`)
    const { writes, run } = tool.prepare(call.arguments)
    const context = { tool: call.name, id: call.id, kind: tool.kind, host: 'roo', ...(writes && { writes }) } as const
    return success(await session.toolCall(context, () => run(session)), feedback)
  } catch (error) {
    return failure(call.name, error, feedback)
  }
}
