import { toolCatalogue } from '../../hooks/index.js'
import { candidatePaths } from '../hook/deps.js'
import { isOwnTool } from '../hook/own-tools.js'
import { type ArgumentReader, harmless, readCall, readQuestion, type ToolInput } from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'

const PATCHES = toolCatalogue().of('apply_patch')

const editor: ArgumentReader = ({ path, file_path, absolutePath }, cwd) => ({
  class: 'write',
  writes: [path, file_path, absolutePath]
    .flatMap((each) => workspacePlaces(each, cwd))
    .map((each) => ({ path: each, effect: 'put' })),
})

/** Every path of the patch, as the patch spells it. */
const patcher: ArgumentReader = ({ input, patch }, cwd) => ({
  class: 'write',
  writes: [input, patch]
    .flatMap((text) => PATCHES.writes({ patch: text }))
    .flatMap(({ path, effect }) => workspacePlaces(path, cwd).map((each) => ({ path: each, effect }))),
})

const reader: ArgumentReader = (input, cwd) => ({
  class: 'read',
  reads: readPaths(input).flatMap((path) => workspacePlaces(path, cwd)),
})
const searcher: ArgumentReader = ({ path }, cwd) => ({ class: 'read', searches: workspacePlaces(path ?? '.', cwd) })
const lister: ArgumentReader = ({ path }, cwd) => ({ class: 'read', reads: workspacePlaces(path ?? '.', cwd) })

const terminal: ArgumentReader = ({ command, commands }) => {
  const lines: unknown[] = Array.isArray(commands) ? commands : [commands ?? command]
  const texts = lines.filter((line) => typeof line === 'string')
  return { class: 'terminal', ...(texts.length === lines.length && { command: texts.join('\n') }) }
}

/** An older form of the tool also runs a command that shows the result. */
const completion: ArgumentReader = (input, cwd) =>
  typeof input.command === 'string' && input.command !== '' ? terminal(input, cwd) : { class: 'question' }

/** The tools of Cline's extension, then those of its SDK. An unlisted tool may do anything. */
const TOOLS: Readonly<Record<string, ArgumentReader>> = {
  write_to_file: editor,
  replace_in_file: editor,
  new_rule: editor,
  apply_patch: patcher,
  execute_command: terminal,
  read_file: reader,
  list_files: lister,
  list_code_definition_names: lister,
  search_files: searcher,
  attempt_completion: completion,
  ask_followup_question: readQuestion,
  plan_mode_respond: readQuestion,
  act_mode_respond: readQuestion,
  web_fetch: harmless,
  web_search: harmless,
  new_task: harmless,
  condense: harmless,
  summarize_task: harmless,
  load_mcp_documentation: harmless,
  access_mcp_resource: harmless,
  use_skill: harmless,
  focus_chain: harmless,
  editor,
  read_files: reader,
  run_commands: terminal,
  bash: terminal,
  search_codebase: searcher,
  fetch_web_content: harmless,
  ask_question: readQuestion,
  submit_and_exit: harmless,
  skills: harmless,
  team_status: harmless,
  team_list_runs: harmless,
  team_read_mailbox: harmless,
  team_list_outcomes: harmless,
  team_send_message: harmless,
  team_broadcast: harmless,
  team_mission_log: harmless,
  team_await_runs: harmless,
  team_cancel_run: harmless,
  team_shutdown_teammate: harmless,
  team_create_outcome: harmless,
  team_attach_outcome_fragment: harmless,
  team_review_outcome_fragment: harmless,
  team_finalize_outcome: harmless,
}

/** Tools of the SDK that reject an empty object as input and run nothing. */
const FAILING_WITHOUT_INPUT = ['editor', 'apply_patch', 'run_commands', 'read_files', 'search_codebase']

/** An input with which a tool of the SDK fails, so that a refusal does not end the run; undefined for other tools. */
export function emptyInput(tool: string): ToolInput | undefined {
  return FAILING_WITHOUT_INPUT.includes(tool) ? {} : undefined
}

/** Maps each command of the SDK's terminal tool; undefined if a command is not a string. */
export function mapCommands(
  tool: string,
  { commands }: ToolInput,
  map: (command: string) => string,
): ToolInput | undefined {
  const lines: unknown[] = Array.isArray(commands) ? commands : [commands]
  const texts = lines.filter((line) => typeof line === 'string')
  return tool === 'run_commands' && texts.length === lines.length ? { commands: texts.map(map) } : undefined
}

/** The name of our server in Cline's settings. */
const SERVER = 'escrow'

export function clineCall(tool: string, input: ToolInput, cwd: string, id?: string): HostCall {
  const prefix = `${SERVER}__`
  const isOurs =
    (tool === 'use_mcp_tool' && input.server_name === SERVER) ||
    (tool.startsWith(prefix) && isOwnTool(tool.slice(prefix.length)))
  return readCall(TOOLS, { tool, input, cwd, id }, isOurs)
}

function readPaths({ path, file_path, paths, files }: ToolInput): unknown[] {
  const many = [paths, files].flatMap((each) => (Array.isArray(each) ? each : []))
  const fromPaths = many.map((each: unknown) =>
    typeof each === 'object' && each !== null && 'path' in each ? each.path : each,
  )
  return [path, file_path, ...fromPaths]
}

/** In a window with several roots, `@name:` selects one. The path is judged with and without that prefix. */
function workspacePlaces(path: unknown, cwd: string): string[] {
  const plain = typeof path === 'string' ? path.replace(/^@[^:/]+:/, '') : path
  return [...new Set([plain, path].flatMap((each) => candidatePaths(each, cwd)))]
}
