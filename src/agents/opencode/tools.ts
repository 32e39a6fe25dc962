import { isOwnTool } from '../hook/own-tools.js'
import {
  callBy,
  editor,
  harmless,
  lister,
  patcher,
  type Reader,
  reader,
  readQuestion,
  searcher,
  terminal,
} from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'

/** opencode's own tools. What is not here may do anything. */
const TOOLS: Readonly<Record<string, Reader>> = {
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

/** By the name under which `escrow init --opencode` enters our server. */
const isOurs = (tool: string) => tool.startsWith('escrow_') && isOwnTool(tool.slice('escrow_'.length))

/** What a tool call of opencode is going to do. */
export function opencodeCall(call: Parameters<typeof callBy>[1]): HostCall {
  return callBy(TOOLS, call, isOurs(call.tool))
}
