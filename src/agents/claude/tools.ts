import type { PlannedWrite } from '../../index.js'
import { placesOf } from '../hook/deps.js'
import type { HostCall } from '../hook/ruling.js'

export type ToolInput = Readonly<Record<string, unknown>>
type Call = Omit<HostCall, 'tool' | 'id'>
type Reader = (input: ToolInput, cwd: string) => Call

/** It shows or changes no file of the workspace by itself. */
const harmless: Reader = () => ({ class: 'read' })
const asking: Reader = () => ({ class: 'question' })

const editor =
  (name: string): Reader =>
  (input, cwd) => ({ class: 'write', writes: puts(placesOf(input[name], cwd)) })

const reader =
  (name: string): Reader =>
  (input, cwd) => ({ class: 'read', reads: placesOf(input[name], cwd) })

const terminal: Reader = ({ command }) => ({ class: 'terminal', ...(typeof command === 'string' && { command }) })

/** Shows names alone. */
const lister: Reader = ({ path }, cwd) => ({ class: 'read', reads: placesOf(path ?? '.', cwd) })
const searcher: Reader = ({ path }, cwd) => ({ class: 'read', searches: placesOf(path ?? '.', cwd) })

/** Claude Code's own tools. What is not here may do anything. */
const TOOLS: Readonly<Record<string, Reader>> = {
  Write: editor('file_path'),
  Edit: editor('file_path'),
  MultiEdit: editor('file_path'),
  NotebookEdit: editor('notebook_path'),
  Bash: terminal,
  PowerShell: () => ({ class: 'terminal', command: 'powershell' }),
  Read: reader('file_path'),
  NotebookRead: reader('notebook_path'),
  LS: lister,
  Glob: lister,
  Grep: searcher,
  BashOutput: harmless,
  KillShell: harmless,
  TaskOutput: harmless,
  TaskStop: harmless,
  TodoWrite: harmless,
  TaskCreate: harmless,
  TaskGet: harmless,
  TaskList: harmless,
  TaskUpdate: harmless,
  Task: harmless,
  Agent: harmless,
  Skill: harmless,
  ToolSearch: harmless,
  WebFetch: harmless,
  WebSearch: harmless,
  ListMcpResourcesTool: harmless,
  ReadMcpResourceTool: harmless,
  AskUserQuestion: asking,
  EnterPlanMode: asking,
  ExitPlanMode: asking,
}

/** `mcp__escrow__…`: by the name under which `escrow init --claude` enters our server. */
const OURS = /^mcp__escrow__/

export function claudeCall(tool: string, input: ToolInput, cwd: string, id?: string): HostCall {
  const read = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined
  const call: Call = read?.(input, cwd) ?? { class: OURS.test(tool) ? 'ours' : 'unknown' }
  return {
    tool,
    ...call,
    ...(id !== undefined && { id }),
    ...(typeof input.mutation_class === 'string' && { declaresClass: true }),
  }
}

function puts(paths: readonly string[]): PlannedWrite[] {
  return paths.map((path) => ({ path, effect: 'put' }))
}
