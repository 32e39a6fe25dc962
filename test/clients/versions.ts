/** The tested clients with their versions. */
export const VERSIONS = {
  claude: { title: 'Claude Code', package: '@anthropic-ai/claude-code', version: '2.1.332' },
  codex: { title: 'Codex', package: '@openai/codex', version: '0.171.0' },
  gemini: { title: 'Gemini CLI', package: '@google/gemini-cli', version: '0.61.0' },
  opencode: { title: 'opencode', package: 'opencode-ai', version: '1.18.33' },
  cline: { title: 'Cline CLI', package: 'cline', version: '3.0.65' },
} as const satisfies Readonly<Record<string, { title: string; package: string; version: string }>>

/** Adapters that make a client an agent of the Agent Client Protocol. */
export const ADAPTERS = {
  'claude-agent-acp': { package: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' },
  'codex-acp': { package: '@agentclientprotocol/codex-acp', version: '2.6.0' },
} as const satisfies Readonly<Record<string, { package: string; version: string }>>

export type RealClient = keyof typeof VERSIONS
