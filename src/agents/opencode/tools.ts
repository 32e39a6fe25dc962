import { isOwnTool } from '../hook/own-tools.js'
import {
  type ArgumentReader,
  editor,
  harmless,
  lister,
  patcher,
  readCall,
  reader,
  readQuestion,
  searcher,
  terminal,
} from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'

/** opencode's own tools. An unlisted tool may do anything. */
const TOOLS: Readonly<Record<string, ArgumentReader>> = {
  write: editor('filePath'),
  edit: editor('filePath'),
  multiedit: editor('filePath'),
  patch: patcher('patchText'),
  apply_patch: patcher('patchText'),
  bash: terminal,
  read: reader('filePath'),
  list: lister('path'),
  glob: lister('path'),
  grep: searcher('path'),
  lsp: reader('filePath'),
  webfetch: harmless,
  websearch: harmless,
  codesearch: harmless,
  todowrite: harmless,
  todoread: harmless,
  list_mcp_resources: harmless,
  list_mcp_resource_templates: harmless,
  read_mcp_resource: harmless,
  task: harmless,
  skill: harmless,
  invalid: harmless,
  question: readQuestion,
  plan_exit: readQuestion,
}

/** The name under which `escrow init --opencode` registers our MCP server. */
const isOurs = (tool: string) => tool.startsWith('escrow_') && isOwnTool(tool.slice('escrow_'.length))

/** Describes the effects of a tool call of opencode. */
export function opencodeCall(call: Parameters<typeof readCall>[1]): HostCall {
  return readCall(TOOLS, call, isOurs(call.tool))
}
