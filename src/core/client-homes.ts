/**
 * What agents' clients keep in a person's home directory. The lists are data: paths are relative to the home directory. A client that runs
 * in a session may write to its own `state`; its `settings` stay as they are, and its `logins` are secrets to everybody else.
 */

/** The clients whose directories are known. */
export const HOME_CLIENTS = ['claude', 'codex', 'gemini', 'opencode', 'cline'] as const
/** One of {@link HOME_CLIENTS}. */
export type HomeClient = (typeof HOME_CLIENTS)[number]

/** What one client keeps there. */
export interface ClientHome {
  /** Names of the programs that are this client. */
  readonly programs: readonly string[]
  /** Directories it writes to. */
  readonly state: readonly string[]
  /** Files with a login or tokens. */
  readonly logins: readonly string[]
  /** Files and directories in `state` that say what the client runs or allows. A name with an ending is a file. */
  readonly settings: readonly string[]
  /** A variable that puts the first directory of `state` elsewhere. */
  readonly variable?: string
  /** A file beside `state` which the client keeps within it where {@link variable} is set. */
  readonly beside?: readonly [from: string, to: string]
}

export const CLIENT_HOMES: Readonly<Record<HomeClient, ClientHome>> = {
  claude: {
    programs: ['claude', 'claude-code-acp', 'claude-agent-acp'],
    state: ['.claude'],
    logins: ['.claude/.credentials.json', '.claude.json'],
    settings: [
      ...['.claude/settings.json', '.claude/settings.local.json', '.claude/CLAUDE.md'],
      ...['.claude/agents', '.claude/commands', '.claude/skills', '.claude/hooks', '.claude/plugins'],
    ],
    variable: 'CLAUDE_CONFIG_DIR',
    beside: ['.claude.json', '.claude/.claude.json'],
  },
  codex: {
    programs: ['codex', 'codex-acp'],
    state: ['.codex'],
    logins: ['.codex/auth.json', '.codex/.credentials.json'],
    settings: [
      ...['.codex/config.toml', '.codex/hooks.json', '.codex/AGENTS.md'],
      ...['.codex/rules', '.codex/prompts', '.codex/skills', '.codex/plugins'],
    ],
    variable: 'CODEX_HOME',
  },
  gemini: {
    programs: ['gemini'],
    state: ['.gemini'],
    logins: [
      ...['.gemini/oauth_creds.json', '.gemini/mcp-oauth-tokens.json', '.gemini/gemini-credentials.json'],
      '.gemini/google_accounts.json',
    ],
    settings: [
      ...['.gemini/settings.json', '.gemini/trustedFolders.json', '.gemini/GEMINI.md'],
      ...['.gemini/extensions', '.gemini/commands', '.gemini/policies', '.gemini/hooks', '.gemini/skills'],
    ],
  },
  opencode: {
    programs: ['opencode'],
    state: ['.local/share/opencode', '.local/state/opencode', '.config/opencode', '.cache/opencode'],
    logins: ['.local/share/opencode/auth.json', '.local/share/opencode/mcp-auth.json'],
    settings: [
      ...['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc', '.config/opencode/AGENTS.md'],
      ...['agent', 'agents', 'command', 'commands', 'plugin', 'plugins', 'tool', 'tools'].map(
        (name) => `.config/opencode/${name}`,
      ),
    ],
  },
  cline: {
    programs: ['cline'],
    state: ['.cline'],
    logins: ['.cline/data/secrets.json', '.cline/data/settings/providers.json'],
    settings: ['.cline/data/settings/cline_mcp_settings.json', '.cline/hooks', '.cline/rules', '.cline/plugins'],
  },
}

/** Which client a program is, by its name. */
export function clientOfProgram(program: string): HomeClient | undefined {
  const name = program.slice(program.lastIndexOf('/') + 1)
  return HOME_CLIENTS.find((client) => CLIENT_HOMES[client].programs.includes(name))
}
