import type { HomeHostProfile } from './profile.js'

/** Directories of a configuration in which each file is a program or a text that opencode obeys. */
const EXTENSIONS = ['agent', 'agents', 'command', 'commands', 'plugin', 'plugins', 'tool', 'tools'] as const

/** opencode. */
export const opencode: HomeHostProfile = {
  title: 'opencode',
  example: "escrow opencode run 'Show prices with tax'",
  label: "opencode: a plugin that asks escrow, and escrow's MCP server",
  presence: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  governed: {
    how: "governed by a plugin; escrow's MCP server stages writes",
    onFailure: 'tools run if plugins are disabled',
  },
  protectedNames: { configures: ['.opencode', 'opencode.json', 'opencode.jsonc'], instructs: ['agents.md'] },
  // Not the whole of `.opencode`: opencode installs packages there when it starts.
  closedToCommands: [
    '.opencode/plugins',
    '.opencode/plugin',
    '.opencode/opencode.json',
    '.opencode/opencode.jsonc',
    'opencode.json',
    'opencode.jsonc',
  ],
  workspaceSettings: {
    json: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
    programs: ['.opencode/plugin', '.opencode/plugins', '.opencode/tool', '.opencode/tools'],
  },
  home: {
    programs: ['opencode'],
    state: ['.local/share/opencode', '.local/state/opencode', '.config/opencode', '.cache/opencode'],
    logins: ['.local/share/opencode/auth.json', '.local/share/opencode/mcp-auth.json'],
    settings: [
      ...['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc', '.config/opencode/AGENTS.md'],
      ...EXTENSIONS.map((name) => `.config/opencode/${name}`),
    ],
  },
  hook: {
    startsDirectly: true,
    probe: (directory) => ({
      event: 'tool.execute.before',
      directory,
      sessionID: 'escrow-doctor',
      tool: 'todoread',
      args: {},
    }),
  },
  provider: {
    logins: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
    addresses: ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL'],
    hosts: [
      ...['opencode.ai', 'models.dev', 'api.anthropic.com', 'api.openai.com'],
      ...['generativelanguage.googleapis.com', 'openrouter.ai'],
    ],
    npmPackage: 'opencode-ai',
  },
}
