import { z } from 'zod'
import { type Dialect, events, textsIn } from './turn.js'

const request = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  system: z.unknown().optional(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
})

const parts = z.array(z.looseObject({ type: z.string() }))
const TEXT = ['text', 'content', 'input', 'command']

/** The Messages API of Anthropic. */
export const anthropic: Dialect = {
  read(path, body) {
    if (!/^\/v1\/messages$/.test(path)) return undefined
    const { model, stream = false, system, messages, tools = [] } = request.parse(body)
    const last = parts.safeParse(messages.at(-1)?.content).data ?? []
    return {
      ...{ api: 'anthropic', model, isStreamed: stream, tools: tools.map(({ name }) => name) },
      system: textsIn(system, TEXT),
      text: textsIn(messages, TEXT),
      results: textsIn(
        last.filter(({ type }) => type === 'tool_result'),
        TEXT,
      ),
    }
  },
  write({ model, isStreamed }, { text, calls = [] }, id) {
    const blocks = [
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${id}_${index}`, name, input })),
    ]
    const usage = { input_tokens: 10, output_tokens: 10 }
    const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, usage, stop_sequence: null }
    if (!isStreamed) return JSON.stringify({ ...message, content: blocks, stop_reason })
    return events([
      ['message_start', { type: 'message_start', message: { ...message, content: [], stop_reason: null } }],
      ...blocks.flatMap((block, index) => blockEvents(block, index)),
      ['message_delta', { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }],
      ['message_stop', { type: 'message_stop' }],
    ])
  },
}

type Block = { readonly type: string; readonly text?: string; readonly input?: unknown }

function blockEvents(block: Block, index: number): [string, unknown][] {
  const isText = block.type === 'text'
  const delta = isText
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
  const content_block = isText ? { type: 'text', text: '' } : { ...block, input: {} }
  return [
    ['content_block_start', { type: 'content_block_start', index, content_block }],
    ['content_block_delta', { type: 'content_block_delta', index, delta }],
    ['content_block_stop', { type: 'content_block_stop', index }],
  ]
}
