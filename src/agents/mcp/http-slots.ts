import type { RequestId } from '@modelcontextprotocol/server'
import { MAX_RUNNING } from './limited-transport.js'

/** The answer to a request of HTTP, until it is written or its client leaves. */
export interface Answer {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** The calls of one request. */
interface Entry {
  readonly ids: readonly RequestId[]
  /** Called once: `false` if the calls were cancelled, or their client left, before they began. */
  readonly begin: (isWanted: boolean) => void
}

interface Client {
  readonly running: Set<Entry>
  readonly waiting: Entry[]
}

/**
 * Limits what a client that sends many calls, and reads no answers, makes this process hold. Some calls of a client run at a time, each until
 * its answer is written. Others wait, and never begin if they are cancelled or their client leaves.
 */
export class HttpSlots {
  readonly #clients = new Map<string, Client>()

  constructor(private readonly limit = MAX_RUNNING) {}

  /** Waits until the calls of a request may begin. Resolves to false if they must not begin any more. */
  enter(name: string, ids: readonly RequestId[], answer: Answer): Promise<boolean> {
    if (answer.destroyed) return Promise.resolve(false)
    const client = this.#clients.get(name) ?? { running: new Set(), waiting: [] }
    this.#clients.set(name, client)
    return new Promise((begin) => {
      const entry: Entry = { ids, begin }
      client.waiting.push(entry)
      answer.once('close', () => this.#leave(name, client, entry))
      this.#fill(client)
    })
  }

  /** A cancelled call has no answer, so it keeps no place. */
  cancel(name: string, id: RequestId): void {
    const client = this.#clients.get(name)
    if (client === undefined) return
    for (const entry of [...client.running, ...client.waiting])
      if (entry.ids.includes(id)) this.#leave(name, client, entry)
  }

  #leave(name: string, client: Client, entry: Entry): void {
    client.running.delete(entry)
    const at = client.waiting.indexOf(entry)
    if (at !== -1) client.waiting.splice(at, 1)
    entry.begin(false)
    this.#fill(client)
    if (client.running.size === 0 && this.#clients.get(name) === client) this.#clients.delete(name)
  }

  #fill(client: Client): void {
    while (client.running.size < this.limit) {
      const next = client.waiting.shift()
      if (next === undefined) return
      client.running.add(next)
      next.begin(true)
    }
  }
}
