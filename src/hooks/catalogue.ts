import type { PlannedWrite, ToolCall } from '../core/api.js'
import { patchWrites } from './patch-writes.js'

/** What a tool does, as far as a gate needs to know. An unknown tool may do anything. */
export type ToolClass = 'read' | 'write' | 'terminal' | 'question' | 'unknown'

/** Of the two, what a person is asked about and an intent is needed for. */
export type ToolClassification = 'SAFE' | 'DESTRUCTIVE'

/** A tool call's arguments, as the model gave them. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** One tool as a gate sees it. */
export interface ToolEntry {
  readonly class: ToolClass
  /** How the content lock takes what it reads. */
  readonly kind: ToolCall['kind']
  /** It can be called before an intent is active, whatever `gate.tools` says. */
  readonly free?: true
  /** Every path the call changes, as its arguments name them. */
  writes(args: ToolArguments): PlannedWrite[]
  /** Files whose content it shows to the model. */
  reads(args: ToolArguments): string[]
}

/** What is known of tools, by their names. A tool it does not know may do anything. */
export interface ToolCatalogue {
  of(tool: string): ToolEntry
  classify(tool: string): ToolClassification
}

const NOTHING = (): [] => []

/** A tool that changes no file. */
const plain = (of: ToolClass): ToolEntry => ({ class: of, kind: 'other', writes: NOTHING, reads: NOTHING })
const free = (of: ToolClass): ToolEntry => ({ ...plain(of), free: true })

const editor = (writes: ToolEntry['writes']): ToolEntry => ({ class: 'write', kind: 'edit', writes, reads: NOTHING })

/** Tools name their file by one of two words; where a call has both, both are judged. */
const namedFile = editor((args) => put(texts(args.path, args.file_path)))

const UNKNOWN = plain('unknown')
const TERMINAL: ToolEntry = { ...plain('terminal'), kind: 'command' }

/** The tools of Roo Code 3.52 with their older names, two more of Zoo Code, and the tools escrowfs adds, the last two where a host runs commands itself. */
const TOOLS = {
  read_file: { class: 'read', kind: 'read', writes: NOTHING, reads: shownFiles },
  list_files: plain('read'),
  search_files: plain('read'),
  codebase_search: plain('read'),
  read_command_output: plain('read'),
  access_mcp_resource: plain('read'),
  write_to_file: namedFile,
  write_file: namedFile,
  apply_diff: namedFile,
  edit: namedFile,
  search_and_replace: namedFile,
  search_replace: namedFile,
  edit_file: namedFile,
  apply_patch: editor((args) => texts(args.patch).flatMap(patchWrites)),
  generate_image: editor((args) => put(texts(args.path).flatMap(imageNames))),
  execute_command: TERMINAL,
  use_mcp_tool: UNKNOWN,
  custom_tool: UNKNOWN,
  ask_followup_question: plain('question'),
  attempt_completion: plain('question'),
  new_task: plain('read'),
  run_slash_command: plain('read'),
  skill: plain('read'),
  switch_mode: plain('read'),
  update_todo_list: plain('read'),
  fetch_web_content: plain('read'),
  invalid_tool_call: plain('read'),
  select_active_intent: free('read'),
  list_intents: free('read'),
  show_staged_changes: plain('read'),
  request_scope_expansion: plain('question'),
  record_lesson: plain('read'),
  revert_staged_changes: plain('write'),
  travel_to_snapshot: plain('write'),
  run_command: TERMINAL,
  read_run_output: plain('read'),
} as const satisfies Record<string, ToolEntry>

/** The names the catalogue knows. */
export const KNOWN_TOOLS: readonly string[] = Object.keys(TOOLS)

/**
 * What is known of tools. One that is not in the catalogue, an MCP tool for one, is destructive until a person says
 * otherwise.
 * @param others classes of further tools, or other classes of known ones, by name: a host's settings, never a model's
 */
export function toolCatalogue(others: Readonly<Record<string, ToolClass>> = {}): ToolCatalogue {
  const entries = new Map<string, ToolEntry>(Object.entries(TOOLS))
  for (const [name, of] of Object.entries(others)) entries.set(name, withClass(entries.get(name) ?? UNKNOWN, of))
  const of = (tool: string) => entries.get(tool) ?? UNKNOWN
  return { of, classify: (tool) => classificationOf(of(tool)) }
}

function withClass(entry: ToolEntry, to: ToolClass): ToolEntry {
  return { ...entry, class: to, kind: to === 'terminal' ? 'command' : entry.kind }
}

function classificationOf(entry: ToolEntry): ToolClassification {
  return entry.class === 'read' || entry.class === 'question' ? 'SAFE' : 'DESTRUCTIVE'
}

/** SAFE or DESTRUCTIVE, by the catalogue as it ships. */
export function classifyTool(tool: string): ToolClassification {
  return DEFAULT.classify(tool)
}

export const DEFAULT: ToolCatalogue = toolCatalogue()

function put(paths: readonly string[]): PlannedWrite[] {
  return paths.map((path) => ({ path, effect: 'put' }))
}

function texts(...values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === 'string' && value !== '')
}

/** `read_file` names one file, or in its older form several. */
function shownFiles({ path, files }: ToolArguments): string[] {
  const entries: readonly unknown[] = Array.isArray(files) ? files : []
  const named = entries.map((each) => (typeof each === 'object' && each !== null && 'path' in each ? each.path : each))
  return texts(path, ...named)
}

/** The host puts the image's own ending to a name that has none of an image. */
function imageNames(path: string): string[] {
  return /\.(png|jpe?g)$/i.test(path) ? [path] : ['png', 'jpg', 'jpeg'].map((ending) => `${path}.${ending}`)
}
