import { z } from 'zod'
import { type HookDeps, hookDeps } from '../hook/deps.js'
import { asking, callBy, editor, harmless, lister, type Reader, reader, searcher, terminal } from '../hook/readers.js'
import { type HookEvent, type HookVerdict, verdictOn } from '../hook/verdict.js'

/** The one JSON object of an answer, in the words of Gemini CLI alone. */
export type GeminiAnswer = Readonly<Record<string, unknown>>

const NOTHING: GeminiAnswer = {}

/** Rejects where it cannot be done; then the hook ends with code 2, nothing on stdout, and the reason on stderr. */
export async function answerGemini(text: string, more: Partial<HookDeps> = {}): Promise<GeminiAnswer> {
  const { hook_event_name: name, ...event } = geminiEvent.parse(JSON.parse(text))
  return said(await verdictOn(eventOf(name, event), hookDeps(more)), name)
}

const geminiEvent = z.object({
  hook_event_name: z.string().min(1),
  session_id: z.string().min(1),
  cwd: z.string().min(1),
  tool_name: z.string().min(1).optional(),
  tool_input: z.unknown().optional(),
  mcp_context: z.looseObject({ server_name: z.string() }).optional(),
  stop_hook_active: z.boolean().optional(),
})

type Told = Omit<z.infer<typeof geminiEvent>, 'hook_event_name'>

const KINDS: Readonly<Record<string, HookEvent['kind']>> = {
  BeforeTool: 'tool',
  AfterTool: 'after',
  SessionStart: 'begins',
  BeforeAgent: 'begins',
  AfterAgent: 'ends',
}

function eventOf(name: string, told: Told): HookEvent {
  const kind = Object.hasOwn(KINDS, name) ? (KINDS[name] ?? 'other') : 'other'
  const { session_id: session, cwd, tool_name: tool, mcp_context: server } = told
  const about = { kind, agent: 'gemini-cli', session, cwd, isAgain: told.stop_hook_active === true }
  if (kind !== 'tool' || tool === undefined) return about
  const input = inputs.safeParse(told.tool_input).data ?? {}
  return { ...about, call: callBy(server ? {} : TOOLS, { tool, input, cwd }, server?.server_name === 'escrow') }
}

const inputs = z.record(z.string(), z.unknown())

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
