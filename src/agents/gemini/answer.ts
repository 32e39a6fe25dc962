import { z } from 'zod'
import { type HookDeps, hookDeps } from '../hook/deps.js'
import { hookEventOf, namedEvent } from '../hook/named-event.js'
import { asking, callBy, editor, harmless, lister, type Reader, reader, searcher, terminal } from '../hook/readers.js'
import { type HookEvent, type HookVerdict, verdictOn } from '../hook/verdict.js'

/** The one JSON object of an answer, in the words of Gemini CLI alone. */
export type GeminiAnswer = Readonly<Record<string, unknown>>

const NOTHING: GeminiAnswer = {}

/** Rejects where it cannot be done; then the hook ends with code 2, nothing on stdout, and the reason on stderr. */
export async function answerGemini(text: string, more: Partial<HookDeps> = {}): Promise<GeminiAnswer> {
  const { mcp_context: server, ...told } = geminiEvent.parse(JSON.parse(text))
  const event = hookEventOf(told, 'gemini-cli', KINDS, (call) =>
    callBy(server ? {} : TOOLS, call, server?.server_name === 'escrow'),
  )
  return said(await verdictOn(event, hookDeps(more)), told.hook_event_name)
}

const geminiEvent = namedEvent.extend({ mcp_context: z.looseObject({ server_name: z.string() }).optional() })

const KINDS: Readonly<Record<string, HookEvent['kind']>> = {
  BeforeTool: 'tool',
  AfterTool: 'after',
  SessionStart: 'begins',
  BeforeAgent: 'turns',
  AfterAgent: 'ends',
}

/** Its own tools, by the names of their arguments in its releases. A note it keeps (`save_memory`) is a write we cannot place. */
const TOOLS: Readonly<Record<string, Reader>> = {
  write_file: editor('file_path'),
  replace: editor('file_path'),
  run_shell_command: terminal,
  read_file: reader('file_path', 'absolute_path'),
  // It takes globs: whatever they match.
  read_many_files: searcher(),
  list_directory: lister('dir_path', 'path'),
  glob: lister('dir_path', 'path'),
  grep_search: searcher('dir_path', 'path'),
  search_file_content: searcher('dir_path', 'path'),
  google_web_search: harmless,
  web_fetch: harmless,
  write_todos: harmless,
  activate_skill: harmless,
  get_internal_docs: harmless,
  cli_help: harmless,
  ask_user: asking,
  enter_plan_mode: asking,
  exit_plan_mode: asking,
}

function said(verdict: HookVerdict, name: string): GeminiAnswer {
  switch (verdict.word) {
    case 'go':
      return NOTHING
    case 'tell':
      return { hookSpecificOutput: { hookEventName: name, additionalContext: verdict.words } }
    case 'on':
      return { decision: 'deny', reason: verdict.words }
    case 'refuse':
      return { decision: 'deny', reason: verdict.why }
  }
}
