import { toolCatalogue } from '../../hooks/index.js'
import { placesOf } from '../hook/deps.js'
import { isOwnTool } from '../hook/own-tools.js'
import { callBy, harmless, type Reader, readQuestion, type ToolInput } from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'

const PATCHES = toolCatalogue().of('apply_patch')

const editor: Reader = ({ path, file_path, absolutePath }, cwd) => ({
  class: 'write',
  writes: [path, file_path, absolutePath]
    .flatMap((each) => workspacePlaces(each, cwd))
    .map((each) => ({ path: each, effect: 'put' })),
})

/** Every path of the patch, as the patch names it. */
const patcher: Reader = ({ input, patch }, cwd) => ({
  class: 'write',
  writes: [input, patch]
    .flatMap((text) => PATCHES.writes({ patch: text }))
    .flatMap(({ path, effect }) => workspacePlaces(path, cwd).map((each) => ({ path: each, effect }))),
})

const reader: Reader = (input, cwd) => ({
  class: 'read',
  reads: readPaths(input).flatMap((path) => workspacePlaces(path, cwd)),
})
const searcher: Reader = ({ path }, cwd) => ({ class: 'read', searches: workspacePlaces(path ?? '.', cwd) })
const lister: Reader = ({ path }, cwd) => ({ class: 'read', reads: workspacePlaces(path ?? '.', cwd) })

const terminal: Reader = ({ command, commands }) => {
  const lines: unknown[] = Array.isArray(commands) ? commands : [commands ?? command]
  const told = lines.filter((line) => typeof line === 'string')
  return { class: 'terminal', ...(told.length === lines.length && { command: told.join('\n') }) }
}

/** Of an older form, where the completion runs a command that shows what was done. */
const completion: Reader = (input, cwd) =>
  typeof input.command === 'string' && input.command !== '' ? terminal(input, cwd) : { class: 'question' }

/** Cline's tools: the extension's, then those of its SDK. What is not here may do anything. */
const TOOLS: Readonly<Record<string, Reader>> = {
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

/** Tools of its SDK that run nothing where their input is an empty object: each says that it is invalid. */
const FAIL_EMPTY = ['editor', 'apply_patch', 'run_commands', 'read_files', 'search_codebase']

/** The input in the place of which a tool of the SDK fails, so that a refusal does not end the run; undefined where there is none. */
export function emptyInput(tool: string): ToolInput | undefined {
  return FAIL_EMPTY.includes(tool) ? {} : undefined
}

/** The input of the SDK's terminal with each command led through another. Undefined where it has none that can be. */
export function commandsThrough(
  tool: string,
  { commands }: ToolInput,
  through: (command: string) => string,
): ToolInput | undefined {
  const lines: unknown[] = Array.isArray(commands) ? commands : [commands]
  const told = lines.filter((line) => typeof line === 'string')
  return tool === 'run_commands' && told.length === lines.length ? { commands: told.map(through) } : undefined
}

/** The name under which our server stands in Cline's settings. */
const SERVER = 'escrow'

export function clineCall(tool: string, input: ToolInput, cwd: string, id?: string): HostCall {
  const ours = `${SERVER}__`
  const isOurs =
    (tool === 'use_mcp_tool' && input.server_name === SERVER) ||
    (tool.startsWith(ours) && isOwnTool(tool.slice(ours.length)))
  return callBy(TOOLS, { tool, input, cwd, id }, isOurs)
}

function readPaths({ path, file_path, paths, files }: ToolInput): unknown[] {
  const many = [paths, files].flatMap((each) => (Array.isArray(each) ? each : []))
  const named = many.map((each: unknown) =>
    typeof each === 'object' && each !== null && 'path' in each ? each.path : each,
  )
  return [path, file_path, ...named]
}

/** Where a window has several roots, `@name:` says which is meant: the path is judged by both readings. */
function workspacePlaces(path: unknown, cwd: string): string[] {
  const plain = typeof path === 'string' ? path.replace(/^@[^:/]+:/, '') : path
  return [...new Set([plain, path].flatMap((each) => placesOf(each, cwd)))]
}
