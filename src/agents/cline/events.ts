import { z } from 'zod'

const record = z.record(z.string(), z.unknown())

/** The extension's event; values of its tools' parameters are strings. */
const extension = z.object({
  hookName: z.string().min(1),
  taskId: z.string().min(1).optional(),
  agent_id: z.string().min(1).optional(),
  workspaceRoots: z.array(z.string()).optional(),
  preToolUse: z.object({ toolName: z.string().min(1), parameters: record }).optional(),
})

/** The event of its SDK and command line. */
const sdk = z.object({
  hookName: z.string().min(1),
  taskId: z.string().min(1).optional(),
  agent_id: z.string().min(1).optional(),
  workspaceRoots: z.array(z.string()).optional(),
  tool_call: z.object({ id: z.string().optional(), name: z.string().min(1), input: record }),
})

/** What either of Cline's two dialects tells, in one shape. */
export interface ClineEvent {
  readonly name: string
  readonly task: string | undefined
  readonly roots: readonly string[]
  readonly tool?: {
    readonly name: string
    readonly input: Readonly<Record<string, unknown>>
    readonly id?: string | undefined
  }
  /** It comes from the SDK, which takes another input for a tool, and puts a question to the person. */
  readonly isSdk: boolean
}

const BEFORE_TOOLS = ['PreToolUse', 'tool_call']

/** Throws where it is neither; and where a tool is about to run and is not named. */
export function clineEvent(text: string): ClineEvent {
  const told: unknown = JSON.parse(text)
  if (typeof told === 'object' && told !== null && 'tool_call' in told) {
    const { hookName: name, tool_call: tool, taskId, agent_id, workspaceRoots: roots = [] } = sdk.parse(told)
    return { name, task: taskId ?? agent_id, roots, tool, isSdk: true }
  }
  const {
    hookName: name,
    taskId: task,
    agent_id: agent,
    workspaceRoots: roots = [],
    preToolUse,
  } = extension.parse(told)
  if (preToolUse === undefined && BEFORE_TOOLS.includes(name)) throw new Error(`This ${name} names no tool.`)
  const about = { name, task: task ?? agent, roots, isSdk: agent !== undefined }
  return preToolUse ? { ...about, tool: { name: preToolUse.toolName, input: preToolUse.parameters } } : about
}
