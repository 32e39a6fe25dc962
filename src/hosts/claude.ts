import { type HomeHostProfile, toolEvent } from './profile.js'

/** Claude Code. */
export const claude: HomeHostProfile = {
  title: 'Claude Code',
  example: "escrow claude 'Show prices with tax'",
  label: "Claude Code: its hooks and escrow's MCP server",
  presence: ['.claude', 'CLAUDE.md'],
  governed: {
    how: "governed by hooks; escrow's MCP server stages its writes",
    onFailure: 'if a hook fails, tools are blocked (from 2.1.330 on; before that they run)',
  },
  protectedNames: {
    configures: ['.claude', '.claude.json', '.mcp.json'],
    instructs: ['claude.md', 'claude.local.md'],
  },
  closedToCommands: ['.claude', '.mcp.json'],
  workspaceSettings: {
    json: ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'],
    texts: ['.claude/agents', '.claude/commands', '.claude/skills'],
  },
  home: {
    programs: ['claude', 'claude-code-acp', 'claude-agent-acp'],
    adapterPackages: [
      '@agentclientprotocol/claude-agent-acp',
      '@zed-industries/claude-agent-acp',
      '@zed-industries/claude-code-acp',
    ],
    state: ['.claude'],
    logins: ['.claude/.credentials.json', '.claude.json'],
    settings: [
      ...['.claude/settings.json', '.claude/settings.local.json', '.claude/CLAUDE.md'],
      ...['.claude/agents', '.claude/commands', '.claude/skills', '.claude/hooks', '.claude/plugins'],
    ],
    variable: 'CLAUDE_CONFIG_DIR',
    copiedInto: ['.claude.json', '.claude/.claude.json'],
  },
  hook: { probe: toolEvent('PreToolUse', 'TodoWrite') },
  provider: {
    logins: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    addresses: ['ANTHROPIC_BASE_URL'],
    hosts: ['api.anthropic.com', 'claude.ai', 'console.anthropic.com', 'platform.claude.com'],
    npmPackage: '@anthropic-ai/claude-code',
  },
}
