import { isOwnTool } from '../hook/own-tools.js'
import { type ArgumentReader, harmless, patcher, readCall, readQuestion, terminal } from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'

/**
 * Codex's own tools, by their names in hooks. `Bash` is each of its shells, and a patch may come as a command. Its `exec` runs
 * code that calls other tools, and hooks get each of those calls. An unlisted tool may do anything.
 */
const TOOLS: Readonly<Record<string, ArgumentReader>> = {
  Bash: terminal,
  apply_patch: patcher('command', 'input', 'patch'),
  update_plan: harmless,
  web_search: harmless,
  list_mcp_resources: harmless,
  list_mcp_resource_templates: harmless,
  read_mcp_resource: harmless,
  wait: harmless,
  sleep: harmless,
  list_agents: harmless,
  wait_agent: harmless,
  interrupt_agent: harmless,
  send_message: harmless,
  send_message_to_user_async: harmless,
  request_user_input: readQuestion,
  request_user_input_async: readQuestion,
}

/** The prefix of the name under which `escrow init --codex` registers our MCP server. */
const SERVER = 'mcp__escrow__'

/** Describes the effects of a tool call of Codex. */
export function codexCall(call: Parameters<typeof readCall>[1]): HostCall {
  const isOurs = call.tool.startsWith(SERVER) && isOwnTool(call.tool.slice(SERVER.length))
  return readCall(TOOLS, call, isOurs)
}
