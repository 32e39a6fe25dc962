import type { ContentBlock, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ToolCatalogue, ToolClass } from '../../hooks/index.js'
import type { PlannedWrite, Session, ToolCall } from '../../index.js'

/** What a call gives: a text, or blocks of the protocol's own. */
export interface Answer {
  readonly content: ContentBlock[]
  /** As the tool's output schema has it. */
  readonly structured?: Record<string, unknown>
}

/** A call whose arguments are valid: what is to be judged before it, and its work. */
export interface Plan {
  readonly class: ToolClass
  readonly kind: ToolCall['kind']
  readonly writes?: PlannedWrite[]
  readonly reads?: string[]
  /** It can be called before an intent is active, whatever `gate.tools` says. */
  readonly free?: true
  run(session: Session): Promise<Answer>
}

/** What the server knows of a client's request. */
export interface CallContext {
  /** The client has taken its request back. */
  readonly signal: AbortSignal
}

export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly schema: z.ZodObject
  readonly output?: z.ZodObject
  readonly annotations: ToolAnnotations
  plan(args: unknown, session: Session, moment: CallContext): Promise<Plan>
}

interface Definition<S extends z.ZodObject> extends Omit<McpTool, 'name' | 'schema' | 'plan'> {
  readonly schema: S
  plan(args: z.output<S>, session: Session, moment: CallContext): Plan | Promise<Plan>
}

export function defineTool<S extends z.ZodObject>(name: string, definition: Definition<S>): McpTool {
  const { schema, plan } = definition
  return { ...definition, name, plan: async (args, session, moment) => plan(schema.parse(args), session, moment) }
}

/** What a reviewer said, in the structured content of any tool: most clients show a model nothing else. */
export const REVIEWER = {
  reviewer: z.string().optional().describe('What the reviewer of your changes said. Follow it.'),
}

/** The output schema of every tool that answers in text. */
export const TEXT = z.object({ content: z.string(), ...REVIEWER })

export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }

/** What is staged destroys nothing: the disk has the old content until a person approves, and snapshots have it after that. */
export const STAGES: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }

export const pathArgument = z.string()

/** What a write says of itself; needed where policy.yaml has `gate.require_mutation_class`. */
export const declared = z
  .enum(['AST_REFACTOR', 'INTENT_EVOLUTION'])
  .optional()
  .describe('What the change does: AST_REFACTOR keeps behaviour, INTENT_EVOLUTION changes it.')

/** Why the agent makes a call: its reviewer reads it above the change. */
export const reason = z.string().optional().describe('Why you make this change, in a sentence. The reviewer reads it.')

/** A text as block and as structured content, with a note behind it in a block of its own. */
export function text(content: string, note?: string): Answer {
  const blocks = note === undefined ? [content] : [content, note]
  return { content: blocks.map((each) => ({ type: 'text', text: each })), structured: { content } }
}

/** The catalogue in which a call's tool is what its plan says. */
export function catalogueOf({ class: of, kind, free, writes = [], reads = [] }: Plan): ToolCatalogue {
  const entry = { class: of, kind, ...(free && { free }), writes: () => writes, reads: () => reads }
  return { of: () => entry, classify: () => (of === 'read' || of === 'question' ? 'SAFE' : 'DESTRUCTIVE') }
}
