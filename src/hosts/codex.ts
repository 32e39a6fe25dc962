import { type HomeHostProfile, toolEvent } from './profile.js'

/** The Codex command line. */
export const codex: HomeHostProfile = {
  title: 'Codex',
  example: "escrow codex 'Show prices with tax'",
  label: "Codex: its hooks and escrow's MCP server",
  presence: ['.codex'],
  governed: {
    how: "governed by hooks that you have trusted in Codex; escrow's MCP server stages writes",
    onFailure: 'tools run if the hook takes too long, and for tools without a hook',
  },
  protectedNames: { configures: ['.codex'], instructs: ['agents.md', 'agents.override.md'] },
  closedToCommands: ['.codex'],
  workspaceSettings: { json: ['.codex/hooks.json'], toml: ['.codex/config.toml'] },
  home: {
    programs: ['codex', 'codex-acp'],
    adapterPackages: ['@agentclientprotocol/codex-acp', '@zed-industries/codex-acp'],
    state: ['.codex'],
    logins: ['.codex/auth.json', '.codex/.credentials.json'],
    settings: [
      ...['.codex/config.toml', '.codex/hooks.json', '.codex/AGENTS.md'],
      ...['.codex/rules', '.codex/prompts', '.codex/skills', '.codex/plugins'],
    ],
    variable: 'CODEX_HOME',
  },
  hook: { probe: toolEvent('PreToolUse', 'update_plan') },
  provider: {
    logins: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    addresses: ['OPENAI_BASE_URL'],
    hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
    npmPackage: '@openai/codex',
  },
}
