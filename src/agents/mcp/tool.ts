import type { ContentBlock, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ToolCatalogue, ToolClass } from '../../hooks/index.js'
import type { PlannedWrite, Session, ToolCall } from '../../index.js'

/** The result of a call: a text, or content blocks of the protocol. */
export interface Answer {
  readonly content: ContentBlock[]
  /** A value of the tool's output schema. */
  readonly structured?: Record<string, unknown>
}

/** A call with valid arguments: the changes to judge first, and the work. */
export interface Plan {
  readonly class: ToolClass
  readonly kind: ToolCall['kind']
  readonly writes?: PlannedWrite[]
  readonly reads?: string[]
  /** Needs no active intent, whatever `gate.tools` says. */
  readonly free?: true
  run(session: Session): Promise<Answer>
}

/** A client's request, as far as the server needs it. */
export interface CallContext {
  /** Aborts if the client cancels its request. */
  readonly signal: AbortSignal
}

export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly schema: z.ZodObject
  readonly output?: z.ZodObject
  readonly annotations: ToolAnnotations
  plan(args: unknown, session: Session, context: CallContext): Promise<Plan>
}

interface Definition<S extends z.ZodObject> extends Omit<McpTool, 'name' | 'schema' | 'plan'> {
  readonly schema: S
  plan(args: z.output<S>, session: Session, moment: CallContext): Plan | Promise<Plan>
}

export function defineTool<S extends z.ZodObject>(name: string, definition: Definition<S>): McpTool {
  const { schema, plan } = definition
  return { ...definition, name, plan: async (args, session, moment) => plan(schema.parse(args), session, moment) }
}

/** Reviewer feedback in the structured content of any tool; most clients show a model only that. */
export const REVIEWER = {
  reviewer: z.string().optional().describe('Feedback from the reviewer of your changes. Follow it.'),
}

/** The output schema of every tool with a text result. */
export const TEXT = z.object({ content: z.string(), ...REVIEWER })

export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }

/** Staged changes destroy nothing: the disk has the old content until a person approves, and snapshots have it after that. */
export const STAGES: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }

export const pathArgument = z.string()

/** The class that a write declares; required if policy.yaml has `gate.require_mutation_class`. */
export const mutationClassArgument = z
  .enum(['AST_REFACTOR', 'INTENT_EVOLUTION'])
  .optional()
  .describe('The kind of change: AST_REFACTOR keeps the behaviour, INTENT_EVOLUTION changes it.')

/** The agent's reason for a call. The reviewer reads it above the change. */
export const reasonArgument = z
  .string()
  .optional()
  .describe('Why you make this change, in a sentence. The reviewer reads it.')

/** A text as a block and as structured content, followed by a note in its own block. */
export function text(content: string, note?: string): Answer {
  const blocks = note === undefined ? [content] : [content, note]
  return { content: blocks.map((each) => ({ type: 'text', text: each })), structured: { content } }
}

/** The tool catalogue of a call: its tool has the class that the call's plan gives. */
export function catalogueOf({ class: of, kind, free, writes = [], reads = [] }: Plan): ToolCatalogue {
  const entry = { class: of, kind, ...(free && { free }), writes: () => writes, reads: () => reads }
  return { of: () => entry, classify: () => (of === 'read' || of === 'question' ? 'SAFE' : 'DESTRUCTIVE') }
}
