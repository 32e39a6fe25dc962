import { z } from 'zod'
import { type Dialect, events, textsIn } from './turn.js'

const request = z.looseObject({
  contents: z.array(z.looseObject({ role: z.string().optional(), parts: z.array(z.record(z.string(), z.unknown())) })),
  systemInstruction: z.unknown().optional(),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional() }))
    .optional(),
})

const TEXT = ['parts', 'text', 'functionResponse', 'response', 'output', 'error', 'content', 'functionCall', 'args']

/** The generateContent API of Gemini. */
export const gemini: Dialect = {
  read(path, body) {
    const [, model, verb] = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path) ?? []
    if (model === undefined) return undefined
    const { contents, systemInstruction, tools = [] } = request.parse(body)
    return {
      ...{ api: 'gemini', model, isStreamed: verb === 'streamGenerateContent' },
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
      system: textsIn(systemInstruction, TEXT),
      text: textsIn(contents, TEXT),
      results: textsIn(
        contents.at(-1)?.parts.filter((part) => 'functionResponse' in part),
        TEXT,
      ),
    }
  },
  write({ isStreamed }, { text, calls = [] }, id) {
    const parts = [
      ...(text === undefined ? [] : [{ text }]),
      ...calls.map(({ name, input }, index) => ({ functionCall: { id: `${id}-${index}`, name, args: input } })),
    ]
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 }
    const candidates = [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }]
    const whole = { candidates, usageMetadata, responseId: id }
    return isStreamed ? events([[undefined, whole]]) : JSON.stringify(whole)
  },
}
