import type { PlannedWrite, ToolCall } from '../core/api.js'
import { patchWrites } from './patch-writes.js'

/** The kind of a tool for the gate. */
export type ToolClass = 'read' | 'write' | 'terminal' | 'question' | 'unknown'

/** A DESTRUCTIVE call needs an intent, and a person may be asked about it. */
export type ToolClassification = 'SAFE' | 'DESTRUCTIVE'

/** A tool call's arguments from the model. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** The gate's description of a tool. */
export interface ToolEntry {
  readonly class: ToolClass
  /** How the content lock treats its reads. */
  readonly kind: ToolCall['kind']
  /** May be called before an intent is active, even with `gate.tools: all`. */
  readonly free?: true
  /** Returns every path that the call changes, as named in its arguments. */
  writes(args: ToolArguments): PlannedWrite[]
  /** Files whose content the model gets. */
  reads(args: ToolArguments): string[]
}

/** Descriptions of tools by name. An unknown tool may do anything. */
export interface ToolCatalogue {
  of(tool: string): ToolEntry
  classify(tool: string): ToolClassification
}

const NOTHING = (): [] => []

/** A tool that changes no file. */
const plain = (of: ToolClass): ToolEntry => ({ class: of, kind: 'other', writes: NOTHING, reads: NOTHING })
const free = (of: ToolClass): ToolEntry => ({ ...plain(of), free: true })

const editor = (writes: ToolEntry['writes']): ToolEntry => ({ class: 'write', kind: 'edit', writes, reads: NOTHING })

/** Tools name their file by one of two arguments. A call with both is checked for both. */
const namedFile = editor((args) => put(texts(args.path, args.file_path)))

const UNKNOWN = plain('unknown')
const TERMINAL: ToolEntry = { ...plain('terminal'), kind: 'command' }

/**
 * The tools of Roo Code 3.52 with their older names, two more of Zoo Code, and the tools that escrowfs adds. The last two are for hosts
 * that run commands themselves.
 */
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
  run_checks: plain('read'),
  revert_staged_changes: plain('write'),
  travel_to_snapshot: plain('write'),
  run_command: TERMINAL,
  read_run_output: plain('read'),
} as const satisfies Record<string, ToolEntry>

/** The names in the catalogue. */
export const KNOWN_TOOLS: readonly string[] = Object.keys(TOOLS)

/**
 * Returns a catalogue of tools. A tool that is not listed, such as an MCP tool, is destructive unless `others` classifies it.
 * @param others classes by tool name, added or overridden; from a host's settings, never from a model
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

/** Classifies a tool by the built-in catalogue. */
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

/** `read_file` names one file; its older form names several. */
function shownFiles({ path, files }: ToolArguments): string[] {
  const entries: readonly unknown[] = Array.isArray(files) ? files : []
  const named = entries.map((each) => (typeof each === 'object' && each !== null && 'path' in each ? each.path : each))
  return texts(path, ...named)
}

/** The host appends the image's extension to a name without one. */
function imageNames(path: string): string[] {
  return /\.(png|jpe?g)$/i.test(path) ? [path] : ['png', 'jpg', 'jpeg'].map((ending) => `${path}.${ending}`)
}
