import { toolCatalogue } from '../../hooks/index.js'
import { claudeCall } from '../claude/tools.js'
import { clineCall } from '../cline/tools.js'
import { codexCall } from '../codex/tools.js'
import { geminiCall } from '../gemini/tools.js'
import { candidatePaths } from '../hook/deps.js'
import { type ArgumentReader, readCall, type ToolInput } from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'
import { opencodeCall } from '../opencode/tools.js'

/** A tool call as a client recorded it. */
interface RecordedTool {
  readonly tool: string
  readonly input: ToolInput
  /** The directory that relative paths begin at; absolute. */
  readonly cwd: string
  /** Gemini CLI: the MCP server of the tool. */
  readonly server?: string
}

/** Describes a recorded call by the table of its client's adapter. `escrow` is a call that our own ledger recorded. */
const CALLS = {
  claude: ({ tool, input, cwd }) => claudeCall(tool, input, cwd),
  codex: codexCall,
  gemini: (call) => geminiCall(call, call.server),
  opencode: opencodeCall,
  cline: ({ tool, input, cwd }) => clineCall(tool, input, cwd),
  roo: rooCall,
  escrow: rooCall,
} as const satisfies Record<string, (call: RecordedTool) => HostCall>

export type HistoryHost = keyof typeof CALLS

export function hostCallOf(host: HistoryHost, call: RecordedTool): HostCall {
  return CALLS[host](call)
}

/** Roo's tools are those of the catalogue that the hooks of a running Roo use. */
function rooCall({ tool, input, cwd }: RecordedTool): HostCall {
  const entry = toolCatalogue().of(tool)
  const read: ArgumentReader = () => ({
    class: entry.class,
    writes: entry
      .writes(input)
      .flatMap(({ path, effect }) => candidatePaths(path, cwd).map((each) => ({ path: each, effect }))),
    reads: entry.reads(input).flatMap((path) => candidatePaths(path, cwd)),
    ...(typeof input.command === 'string' && entry.class === 'terminal' && { command: input.command }),
  })
  return readCall({ [tool]: read }, { tool, input, cwd }, false)
}
