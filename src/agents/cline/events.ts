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

/** The event of the SDK and the command line. */
const sdk = z.object({
  hookName: z.string().min(1),
  taskId: z.string().min(1).optional(),
  agent_id: z.string().min(1).optional(),
  workspaceRoots: z.array(z.string()).optional(),
  tool_call: z.object({ id: z.string().optional(), name: z.string().min(1), input: record }),
})

/** An event of either dialect, in one shape. */
export interface ClineEvent {
  readonly name: string
  readonly task: string | undefined
  readonly roots: readonly string[]
  readonly tool?: {
    readonly name: string
    readonly input: Readonly<Record<string, unknown>>
    readonly id?: string | undefined
  }
  /** Whether it comes from the SDK, which accepts a replaced input and can ask the person. */
  readonly isSdk: boolean
}

const BEFORE_TOOLS = ['PreToolUse', 'tool_call']

/** @throws Error for an event of neither dialect, and for a tool event without a tool */
export function parseClineEvent(text: string): ClineEvent {
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed === 'object' && parsed !== null && 'tool_call' in parsed) {
    const { hookName: name, tool_call: tool, taskId, agent_id, workspaceRoots: roots = [] } = sdk.parse(parsed)
    return { name, task: taskId ?? agent_id, roots, tool, isSdk: true }
  }
  const {
    hookName: name,
    taskId: task,
    agent_id: agent,
    workspaceRoots: roots = [],
    preToolUse,
  } = extension.parse(parsed)
  if (preToolUse === undefined && BEFORE_TOOLS.includes(name)) throw new Error(`This ${name} names no tool.`)
  const event = { name, task: task ?? agent, roots, isSdk: agent !== undefined }
  return preToolUse ? { ...event, tool: { name: preToolUse.toolName, input: preToolUse.parameters } } : event
}
