import { isOwnTool } from '../hook/own-tools.js'
import {
  type ArgumentReader,
  editor,
  harmless,
  lister,
  readCall,
  reader,
  readQuestion,
  searcher,
  type ToolInput,
  terminal,
} from '../hook/readers.js'
import type { HostCall } from '../hook/ruling.js'

/** Claude Code's own tools. An unlisted tool may do anything. */
const TOOLS: Readonly<Record<string, ArgumentReader>> = {
  Write: editor('file_path'),
  Edit: editor('file_path'),
  MultiEdit: editor('file_path'),
  NotebookEdit: editor('notebook_path'),
  Bash: terminal,
  PowerShell: () => ({ class: 'terminal', command: 'powershell' }),
  Read: reader('file_path'),
  NotebookRead: reader('notebook_path'),
  LS: lister('path'),
  Glob: lister('path'),
  Grep: searcher('path'),
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
  ReadMcpResourceDirTool: harmless,
  ListAgents: harmless,
  SendMessage: harmless,
  ReportFindings: harmless,
  ScheduleWakeup: harmless,
  CronCreate: harmless,
  CronDelete: harmless,
  CronList: harmless,
  DeferredToolPlaceholder: harmless,
  // It runs a command, and accepts no replacement.
  Monitor: terminal,
  AskUserQuestion: readQuestion,
  EnterPlanMode: readQuestion,
  ExitPlanMode: readQuestion,
}

/** The prefix of the name under which `escrow init --claude` registers our MCP server. */
const SERVER = 'mcp__escrow__'

export function claudeCall(tool: string, input: ToolInput, cwd: string, id?: string): HostCall {
  const isOurs = tool.startsWith(SERVER) && isOwnTool(tool.slice(SERVER.length))
  return readCall(TOOLS, { tool, input, cwd, id }, isOurs)
}
