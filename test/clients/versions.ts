/** The tested clients with their versions. */
export const VERSIONS = {
  claude: { title: 'Claude Code', package: '@anthropic-ai/claude-code', version: '2.1.330' },
  codex: { title: 'Codex', package: '@openai/codex', version: '0.169.0' },
  gemini: { title: 'Gemini CLI', package: '@google/gemini-cli', version: '0.61.0' },
  opencode: { title: 'opencode', package: 'opencode-ai', version: '1.18.33' },
  cline: { title: 'Cline CLI', package: 'cline', version: '3.0.65' },
} as const satisfies Readonly<Record<string, { title: string; package: string; version: string }>>

/** Adapters that make a client an agent of the Agent Client Protocol. */
export const ADAPTERS = {
  'claude-code-acp': { package: '@zed-industries/claude-code-acp', version: '0.16.2' },
  'codex-acp': { package: '@zed-industries/codex-acp', version: '0.16.0' },
} as const satisfies Readonly<Record<string, { package: string; version: string }>>

export type RealClient = keyof typeof VERSIONS
