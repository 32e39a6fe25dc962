import { z } from 'zod'
import { type Dialect, events, textsIn } from './turn.js'

const request = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(z.looseObject({ role: z.string() })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
})

const TEXT = ['text', 'content', 'arguments', 'tool_calls', 'function']
const ABOVE = ['system', 'developer']

/** The Chat Completions API of OpenAI. */
export const chat: Dialect = {
  read(path, body) {
    if (!/\/chat\/completions$/.test(path)) return undefined
    const { model, stream = false, messages, tools = [] } = request.parse(body)
    return {
      ...{ api: 'chat', model, isStreamed: stream, tools: tools.map((each) => each.function.name) },
      system: textsIn(
        messages.filter(({ role }) => ABOVE.includes(role)),
        TEXT,
      ),
      text: textsIn(messages, TEXT),
      results: textsIn(messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1), TEXT),
    }
  },
  write({ model, isStreamed }, { text = '', calls = [] }, id) {
    const tool_calls = calls.map(({ name, input }, index) => ({
      ...{ index, id: `call_${id}_${index}`, type: 'function' },
      function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
    }))
    const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls }) }
    const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
    const about = { id: `chatcmpl-${id}`, created: 1, model }
    if (!isStreamed)
      return JSON.stringify({
        ...about,
        object: 'chat.completion',
        usage,
        choices: [{ index: 0, message, finish_reason }],
      })
    const chunk = { ...about, object: 'chat.completion.chunk' }
    return events([
      [undefined, { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] }],
      [undefined, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage }],
      [undefined, '[DONE]'],
    ])
  },
}
