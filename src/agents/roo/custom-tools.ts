import { z } from 'zod'
import { ADDED_TOOLS, type HookEngine, withFeedback } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { errorText } from '../../surface/index.js'
import type { Conversations, TaskOrigin } from './conversations.js'
import { executeCommand } from './execute-command.js'
import { refusalText } from './live-refusal.js'
import { readCommandOutput } from './read-command-output.js'
import type { RooTool } from './tool.js'

/** A custom tool as Roo expects it. Roo asks nobody before it calls one. */
export interface RooCustomTool {
  readonly name: string
  readonly description: string
  /** Every argument is required, as Roo's strict schemas demand; null omits it. */
  readonly parameters: z.ZodObject
  execute(args: unknown, context: RooToolContext): Promise<string>
}

/** The part of the task that Roo passes to a custom tool. */
export interface RooToolContext {
  readonly task: TaskOrigin & { readonly cwd?: string }
}

export interface CustomToolsOptions {
  readonly engine: HookEngine
  readonly conversations: Conversations
  /** The directory of a task that has none. */
  readonly cwd?: string
  /** Called after each call, which may have selected an intent. */
  readonly called?: (session: Session) => Promise<void>
}

const COMMANDS: Readonly<Record<string, { tool: RooTool; description: string; parameters: z.ZodObject }>> = {
  run_command: {
    tool: executeCommand,
    description: 'Run a shell command, contained. It sees the staged files, and its changes are staged.',
    parameters: z.object({
      command: z.string().min(1).describe('The command.'),
      cwd: z.string().nullable().describe('The working directory in the workspace; null for its root.'),
      timeout: z.number().nullable().describe('Seconds after which the command is stopped; null for no limit.'),
    }),
  },
  read_run_output: {
    tool: readCommandOutput,
    description: 'Read a part of a long output of run_command, or its matching lines.',
    parameters: z.object({
      artifact_id: z.string().describe('The id that run_command returned.'),
      search: z.string().nullable().describe('A pattern that lines must match; null for all lines.'),
      offset: z.number().nullable().describe('The first byte to read; null for 0.'),
      limit: z.number().nullable().describe('The maximum number of bytes; null for 32768.'),
    }),
  },
}

export function isCustomTool(name: string): boolean {
  return Object.hasOwn(COMMANDS, name)
}

/** The tools that escrowfs adds, and contained commands, as custom tools of Roo. */
export function customTools(options: CustomToolsOptions): RooCustomTool[] {
  const added = Object.values(ADDED_TOOLS).map(({ name, description, schema }) => {
    return { name, description, parameters: schema.required() }
  })
  const commands = Object.entries(COMMANDS).map(([name, { description, parameters }]) => {
    return { name, description, parameters }
  })
  return [...added, ...commands].map((tool) => ({
    ...tool,
    execute: (args, context) => runCustomTool(options, tool.name, args, context),
  }))
}

async function runCustomTool(
  { engine, conversations, cwd: defaultCwd, called }: CustomToolsOptions,
  name: string,
  args: unknown,
  { task }: RooToolContext,
): Promise<string> {
  const cwd = task.cwd ?? defaultCwd
  const taskId = conversations.of(task)
  if (cwd === undefined)
    return 'Error: the workspace of this task is unknown. Tell the person to open it in the editor.'
  try {
    const input = { taskId, cwd, toolName: name, params: argumentsOf(args) }
    const session = await engine.sessionOf(taskId, cwd)
    const work = COMMANDS[name]?.tool
    const result = await engine.runWithHooks(input, () => work?.prepare(input.params)(session))
    await called?.(session)
    if (!result.allow) return refusalText(name, result)
    if (result.toolResult !== undefined) return result.toolResult
    const { value = '' } = result
    return withFeedback(typeof value === 'string' ? value : JSON.stringify(value), result.feedback)
  } catch (error) {
    return `Error: ${errorText(error)}`
  }
}

function argumentsOf(args: unknown): Record<string, unknown> {
  return typeof args === 'object' && args !== null ? { ...args } : {}
}
