import { callBy, harmless, patcher, type Reader, readQuestion, terminal } from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'

/**
 * Codex's own tools, by the names its hooks use: `Bash` is each of its shells, and a patch comes as a command, too. Its
 * `exec` runs code that calls the others, and the hooks are asked about each of those calls. What is not here may do anything.
 */
const TOOLS: Readonly<Record<string, Reader>> = {
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
  request_user_input: readQuestion,
  request_user_input_async: readQuestion,
}

/** By the name under which `escrow init --codex` enters our server. */
const OURS = /^mcp__escrow__/

/** What a tool call of Codex is going to do. */
export function codexCall(call: Parameters<typeof callBy>[1]): HostCall {
  return callBy(TOOLS, call, OURS.test(call.tool))
}
