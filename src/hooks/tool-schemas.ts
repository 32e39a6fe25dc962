import { z } from 'zod'
import { ADDED_TOOLS } from './added-tools.js'

type JsonSchema = Readonly<Record<string, unknown>>

/** A tool's schema in OpenAI's form. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly strict: true
    readonly parameters: JsonSchema
  }
}

/** A tool's schema in Anthropic's form. */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonSchema
}

/** Returns the added tools in the form of OpenAI's API. Every argument is required because of `strict`; null leaves it out. */
export function openAiTools(): OpenAiTool[] {
  return Object.values(ADDED_TOOLS).map(({ name, description, schema }) => {
    return { type: 'function', function: { name, description, strict: true, parameters: jsonSchema(schema) } }
  })
}

/** Returns the added tools in the form of Anthropic's API. */
export function anthropicTools(): AnthropicTool[] {
  return Object.values(ADDED_TOOLS).map(({ name, description, schema }) => {
    return { name, description, input_schema: jsonSchema(schema) }
  })
}

function jsonSchema(schema: z.ZodObject): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { override: ({ jsonSchema }) => flatten(jsonSchema) })
  return { ...converted, required: Object.keys(schema.shape), additionalProperties: false }
}

/** Writes "A or null" as one type with two names, which every model's API accepts. */
function flatten(node: { anyOf?: unknown; type?: unknown }): void {
  const { anyOf } = node
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return
  const [some, none]: { type?: unknown }[] = anyOf
  if (none?.type !== 'null' || typeof some?.type !== 'string') return
  delete node.anyOf
  Object.assign(node, some, { type: [some.type, 'null'] })
}
