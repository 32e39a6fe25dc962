import {
  type ArgumentReader,
  editor,
  harmless,
  lister,
  readCall,
  reader,
  readQuestion,
  searcher,
  terminal,
} from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'

/**
 * Gemini CLI's own tools, with the argument names of its releases. An unlisted tool may do anything. `save_memory` is
 * unlisted, because the path of its write is unknown.
 */
const TOOLS: Readonly<Record<string, ArgumentReader>> = {
  write_file: editor('file_path'),
  replace: editor('file_path'),
  run_shell_command: terminal,
  read_file: reader('file_path', 'absolute_path'),
  // Its globs may match any file.
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

/** Describes the effects of a tool call of Gemini CLI. @param server the MCP server of the tool; undefined for built-in tools */
export function geminiCall(call: Parameters<typeof readCall>[1], server?: string): HostCall {
  return readCall(server === undefined ? TOOLS : {}, call, server === 'escrow')
}
