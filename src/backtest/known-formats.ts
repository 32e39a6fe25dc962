/** The histories that can be read, and where clients keep them; `docs/backtest.md` has the same table. */
export const KNOWN_FORMATS: readonly (readonly [client: string, files: string])[] = [
  ['Claude Code', '~/.claude/projects/**/*.jsonl'],
  ['Codex', '~/.codex/sessions/**/*.jsonl'],
  ['Gemini CLI', '~/.gemini/tmp/*/chats/*.json and *.jsonl'],
  ['opencode', "~/.local/share/opencode/storage, or the files of 'opencode export'"],
  ['Cline, Roo Code', "api_conversation_history.json in the task folders of the editor's extension"],
  ['Cline CLI', '~/.cline/data/sessions/*/*.messages.json'],
  ['escrowfs', 'the ledger .orchestration/agent_trace.jsonl'],
]
