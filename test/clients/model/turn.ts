/** A request to a model, independent of the provider. */
export interface Turn {
  /** The API of the client's provider. */
  readonly api: 'anthropic' | 'responses' | 'chat' | 'gemini'
  readonly model: string
  readonly isStreamed: boolean
  /** The names of the tools the model may call. Requests without any are a client's housekeeping: titles, summaries. */
  readonly tools: readonly string[]
  /** The system prompt. */
  readonly system: string
  /** All text of the conversation, with results of tools. */
  readonly text: string
  /** The results of tools in the last message. */
  readonly results: string
}

/** A tool call. `input` is a string if the tool takes free text. */
export interface ScriptedCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>> | string
}

/** A model's reply: text, tool calls, or both. */
export interface Reply {
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
}

/** A reply that calls one tool. */
export function call(name: string, input: ScriptedCall['input']): Reply {
  return { calls: [{ name, input }] }
}

/** A provider's API, which parses requests and formats replies. */
export interface Dialect {
  /** Undefined for a request of another API. */
  read(path: string, body: unknown): Turn | undefined
  /** Formats a reply as one body or as server-sent events. */
  write(turn: Turn, reply: Reply, id: string): string
}

/** Server-sent events, named or not. */
export function events(all: readonly (readonly [name: string | undefined, data: unknown])[]): string {
  return all
    .map(([name, data]) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data)
      return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`
    })
    .join('')
}

/** Every string value of these keys, at any depth, in order. */
export function textsIn(value: unknown, keys: readonly string[]): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((each: unknown) => textsIn(each, keys)).join('\n')
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value)
    .filter(([key]) => keys.includes(key))
    .map(([, each]: [string, unknown]) => textsIn(each, keys))
    .join('\n')
}
