import { z } from 'zod'
import { type Dialect, events, textsIn } from './turn.js'

const request = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(z.looseObject({ type: z.string().optional() }))]),
  tools: z.unknown().optional(),
})

const toolEntry = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  tools: z.array(z.unknown()).optional(),
})

/** A tool is listed directly or in a namespace; a client may send tools in an item of the input. */
function toolNames(value: unknown): string[] {
  return (z.array(z.unknown()).safeParse(value).data ?? []).flatMap((each) => {
    const { type = '', name = type, tools } = toolEntry.safeParse(each).data ?? {}
    return tools === undefined ? [name] : toolNames(tools)
  })
}

const TEXT = ['text', 'content', 'input', 'output', 'arguments']
const RESULTS = ['function_call_output', 'custom_tool_call_output', 'mcp_tool_call_output']

/** The Responses API of OpenAI. */
export const responses: Dialect = {
  read(path, body) {
    if (!/^(?:\/v1)?\/responses$/.test(path)) return undefined
    const { model, stream = false, instructions, input, tools } = request.parse(body)
    const items = typeof input === 'string' ? [] : input
    const isResult = ({ type = '' }: { type?: string | undefined }) => RESULTS.includes(type)
    return {
      ...{
        api: 'responses',
        model,
        isStreamed: stream,
        tools: [tools, ...items.map((each) => each.tools)].flatMap(toolNames),
      },
      system: instructions ?? '',
      text: textsIn(input, TEXT),
      results: textsIn(items.slice(items.findLastIndex((each) => !isResult(each)) + 1), TEXT),
    }
  },
  write({ model, isStreamed }, { text, calls = [] }, id) {
    const items = [
      ...(text === undefined ? [] : [{ ...MESSAGE, id: `msg_${id}`, content: [{ type: 'output_text', text }] }]),
      ...calls.map(({ name, input }, index) => {
        const about = { id: `fc_${id}_${index}`, call_id: `call_${id}_${index}`, status: 'completed' }
        return typeof input === 'string'
          ? { ...about, type: 'custom_tool_call', name, input }
          : { ...about, type: 'function_call', ...splitNamespace(name), arguments: JSON.stringify(input) }
      }),
    ]
    const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 }
    const response = { id: `resp_${id}`, object: 'response', model, status: 'completed', output: items, usage }
    if (!isStreamed) return JSON.stringify(response)
    const begun = { ...response, status: 'in_progress', output: [], usage: null }
    return events([
      ['response.created', { type: 'response.created', response: begun }],
      ...items.flatMap((item, output_index): [string, unknown][] => [
        ['response.output_item.added', { type: 'response.output_item.added', output_index, item }],
        ['response.output_item.done', { type: 'response.output_item.done', output_index, item }],
      ]),
      ['response.completed', { type: 'response.completed', response }],
    ])
  },
}

const MESSAGE = { type: 'message', role: 'assistant', status: 'completed' }

/** Codex puts the tools of a server in a namespace: `mcp__escrow` with the name `write_file`. */
function splitNamespace(name: string): { name: string; namespace?: string } {
  const [, namespace, tool] = /^(mcp__\w+?)__(\w+)$/.exec(name) ?? []
  return namespace === undefined || tool === undefined ? { name } : { name: tool, namespace }
}
