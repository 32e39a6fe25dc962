import { CALLS, LAST_REPLY } from '../shared/script.js'

export interface Call {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, string>>
}

export interface Turn {
  readonly text: string
  readonly calls: readonly Call[]
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | ({ readonly role: 'assistant' } & Turn)
  | { readonly role: 'tool'; readonly id: string; readonly text: string }

/** In your agent this calls a provider. */
export interface Model {
  readonly name: string
  reply(messages: readonly Message[]): Promise<Turn>
}

/** A model without network access. It makes the scripted calls in order, and records what it reads. */
export function scriptedModel(read: string[] = []): Model {
  return {
    name: 'scripted-1',
    async reply(messages) {
      const last = messages.at(-1)
      if (last?.role === 'tool') read.push(last.text)
      const turn = messages.filter(({ role }) => role === 'assistant').length
      const call = CALLS[turn]
      return call === undefined
        ? { text: LAST_REPLY, calls: [] }
        : { text: '', calls: [{ id: `call-${turn}`, ...call }] }
    },
  }
}
