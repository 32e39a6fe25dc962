import {
  callBy,
  editor,
  harmless,
  lister,
  type Reader,
  reader,
  readQuestion,
  searcher,
  terminal,
} from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'

/** Gemini CLI's own tools, by the names of their arguments in its releases. What is not here may do anything. A note it keeps (`save_memory`) is a write we cannot place. */
const TOOLS: Readonly<Record<string, Reader>> = {
  write_file: editor('file_path'),
  replace: editor('file_path'),
  run_shell_command: terminal,
  read_file: reader('file_path', 'absolute_path'),
  // It takes globs: whatever they match.
  read_many_files: searcher(),
  list_directory: lister('dir_path', 'path'),
  glob: lister('dir_path', 'path'),
  grep_search: searcher('dir_path', 'path'),
  search_file_content: searcher('dir_path', 'path'),
  google_web_search: harmless,
  web_fetch: harmless,
  write_todos: harmless,
  activate_skill: harmless,
  get_internal_docs: harmless,
  cli_help: harmless,
  update_topic: harmless,
  list_mcp_resources: harmless,
  read_mcp_resource: harmless,
  list_background_processes: harmless,
  read_background_output: harmless,
  ask_user: readQuestion,
  enter_plan_mode: readQuestion,
  exit_plan_mode: readQuestion,
}

/** What a tool call of Gemini CLI is going to do. @param server the MCP server whose tool it is; undefined for its own. */
export function geminiCall(call: Parameters<typeof callBy>[1], server?: string): HostCall {
  return callBy(server === undefined ? TOOLS : {}, call, server === 'escrow')
}
