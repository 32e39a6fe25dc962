import type { ClientName, NewIntent } from '../index.js'
import type { Asking } from './prompts.js'

/** Every client whose settings `escrow init` enters escrow into, and what it enters. */
export const LABELS: Readonly<Record<ClientName, string>> = {
  claude: 'Claude Code: its hooks and our MCP server',
  cline: 'Cline: its hooks',
  codex: 'Codex: its hooks and our MCP server',
  gemini: 'Gemini CLI: its hooks and our MCP server',
  opencode: 'opencode: a plugin that asks our hook, and our MCP server',
  roo: 'Roo Code: our MCP server',
  mcp: 'any client that reads .mcp.json: our MCP server',
}

export const CLIENTS = Object.keys(LABELS).filter((name): name is ClientName => name in LABELS)

/** What a person wants of a new workspace. */
export interface Wanted {
  readonly clients: readonly ClientName[]
  readonly intent?: NewIntent
}

/**
 * Asks what `escrow init` would else be told by options. Nothing is done meanwhile.
 * @param found clients whose files are in the directory: they are chosen at first.
 * @returns undefined where the person left.
 */
export async function askForWorkspace(asking: Asking, found: readonly ClientName[]): Promise<Wanted | undefined> {
  const choices = CLIENTS.map((value) => ({ value, label: LABELS[value], isChosen: found.includes(value) }))
  const clients = await asking.some('Which agents work here? (space chooses, enter goes on)', choices)
  if (clients === undefined) return undefined
  const name = await asking.line('What are they to work on first?', { shown: 'leave it empty to say so later' })
  if (name === undefined) return undefined
  if (name === '') return { clients }
  const scope = await asking.line('Which paths may they touch for it? (globs, a space between)', { initial: 'src/**' })
  if (scope === undefined) return undefined
  return { clients, intent: { name, ownedScope: scope.split(/\s+/).filter((glob) => glob !== '') } }
}
