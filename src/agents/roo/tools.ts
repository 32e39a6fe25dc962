import {
  ADDED_TOOLS,
  type AddedToolName,
  feedbackOf,
  type Human,
  isAddedTool,
  type PersonalRun,
  personGate,
  ToolFailure,
} from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { applyDiff } from './apply-diff.js'
import { applyPatch } from './apply-patch.js'
import { edit, editFile, searchAndReplace, searchReplace } from './edit.js'
import { executeCommand } from './execute-command.js'
import { listFiles } from './list-files.js'
import { readCommandOutput } from './read-command-output.js'
import { readFile } from './read-file.js'
import { type RooToolResult, toToolResult } from './result.js'
import { searchFiles } from './search-files.js'
import type { RooTool, Work } from './tool.js'
import { writeFile, writeToFile } from './write-to-file.js'

/** A tool call as the model made it. */
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
  execute_command: executeCommand,
  read_command_output: readCommandOutput,
} as const satisfies Record<string, RooTool>

/** The name of a tool of {@link RooTools}. */
export type RooToolName = keyof typeof TOOLS | AddedToolName

/** Roo Code's tools on a session. */
export interface RooTools {
  readonly names: readonly RooToolName[]
  /** Never rejects: a denial, invalid arguments and an error become results that the model can read. */
  execute(call: RooToolCall): Promise<RooToolResult>
}

const NAMES = [...Object.keys(TOOLS), ...Object.keys(ADDED_TOOLS)].filter(isToolName)
const BY_NAME: ReadonlyMap<string, RooTool> = new Map(Object.entries(TOOLS))

function isToolName(name: string): name is RooToolName {
  return Object.hasOwn(TOOLS, name) || isAddedTool(name)
}

function prepareWork(name: string, args: Record<string, unknown>): Work {
  if (isAddedTool(name)) return (session) => ADDED_TOOLS[name].run(session, args)
  const tool = BY_NAME.get(name)
  if (tool === undefined) throw new ToolFailure(`There is no tool ${name}. Use one of: ${NAMES.join(', ')}.`)
  return tool.prepare(args)
}

/** Options of {@link createRooTools}. */
export interface RooToolsOptions {
  /** Asks a person if policy.yaml requires one for a call. Without it such a call is refused. */
  readonly human?: Human
}

/** Creates Roo Code's file and terminal tools, by the names and arguments that its models know, on a session. */
export function createRooTools(session: Session, { human }: RooToolsOptions = {}): RooTools {
  const run = personGate(session, human)
  return { names: NAMES, execute: (call) => execute(session, run, call) }
}

async function execute(
  session: Session,
  run: PersonalRun,
  { id, name, arguments: args }: RooToolCall,
): Promise<RooToolResult> {
  let work: Work
  try {
    work = prepareWork(name, args)
  } catch (error) {
    return toToolResult(name, { status: 'failed', error, feedback: await feedbackOf(session) })
  }
  return toToolResult(name, await run({ id, name, args }, () => work(session), { host: 'roo' }))
}
