import { type HomeHostProfile, toolEvent } from './profile.js'

/** Gemini CLI. */
export const gemini: HomeHostProfile = {
  title: 'Gemini CLI',
  example: "escrow gemini -p 'Show prices with tax'",
  label: "Gemini CLI: its hooks and escrow's MCP server",
  presence: ['.gemini', 'GEMINI.md'],
  governed: {
    how: "governed by hooks in folders that you trust in Gemini CLI; escrow's MCP server stages writes",
    onFailure: 'tools run if the hook takes too long',
  },
  protectedNames: { configures: ['.gemini'], instructs: ['gemini.md'] },
  closedToCommands: ['.gemini'],
  workspaceSettings: { json: ['.gemini/settings.json'] },
  home: {
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
  hook: { probe: toolEvent('BeforeTool', 'write_todos') },
  provider: {
    logins: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    addresses: ['GOOGLE_GEMINI_BASE_URL'],
    hosts: [
      ...['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com'],
      ...['accounts.google.com', 'oauth2.googleapis.com', 'www.googleapis.com'],
    ],
    npmPackage: '@google/gemini-cli',
  },
}
