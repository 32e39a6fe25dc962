import type { HomeHostProfile } from './profile.js'

/** Cline: the extension and the command line. */
export const cline: HomeHostProfile = {
  title: 'Cline',
  example: "escrow cline 'Show prices with tax'",
  label: 'Cline: its hooks',
  presence: ['.clinerules', '.cline'],
  governed: {
    how: 'governed by hooks, which stage nothing',
    onFailure: 'tools run if the hook cannot be started',
  },
  protectedNames: { configures: ['.cline', 'documents/cline/hooks'], instructs: ['.clinerules*'] },
  closedToCommands: ['.clinerules', '.cline'],
  workspaceSettings: { programs: ['.clinerules/hooks', '.cline/hooks'] },
  home: {
    programs: ['cline'],
    state: ['.cline'],
    logins: ['.cline/data/secrets.json', '.cline/data/settings/providers.json'],
    settings: ['.cline/data/settings/cline_mcp_settings.json', '.cline/hooks', '.cline/rules', '.cline/plugins'],
  },
  hook: {
    program: '.clinerules/hooks/PreToolUse',
    probe: (root) => ({
      hookName: 'PreToolUse',
      taskId: 'escrow-doctor',
      workspaceRoots: [root],
      preToolUse: { toolName: 'condense', parameters: {} },
    }),
  },
  provider: {
    logins: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
    addresses: ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL'],
    hosts: ['api.cline.bot', 'api.anthropic.com', 'api.openai.com', 'openrouter.ai'],
    npmPackage: 'cline',
  },
}
