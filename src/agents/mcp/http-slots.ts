import type { RequestId } from '@modelcontextprotocol/server'
import { MAX_RUNNING } from './limited-transport.js'

/** The answer to a request of HTTP, until it is written or its client leaves. */
export interface Answer {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** The calls of one request. */
interface Entry {
  /** Those that are not cancelled. */
  readonly ids: Set<RequestId>
  /** Called once with the calls that begin. None do if their client left before. */
  readonly begin: (wanted: ReadonlySet<RequestId>) => void
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

  /**
   * Waits until all calls of a request may begin.
   * @param ids at most as many as the limit
   * @returns those that are still wanted
   */
  enter(name: string, ids: readonly RequestId[], answer: Answer): Promise<ReadonlySet<RequestId>> {
    if (answer.destroyed) return Promise.resolve(new Set())
    const client = this.#clients.get(name) ?? { running: new Set(), waiting: [] }
    this.#clients.set(name, client)
    return new Promise((begin) => {
      const entry: Entry = { ids: new Set(ids), begin }
      client.waiting.push(entry)
      answer.once('close', () => this.#leave(name, client, entry))
      this.#fill(client)
    })
  }

  /** A cancelled call has no answer, so it keeps no place. */
  cancel(name: string, id: RequestId): void {
    const client = this.#clients.get(name)
    if (client === undefined) return
    for (const entry of [...client.running, ...client.waiting]) {
      if (!entry.ids.delete(id)) continue
      if (entry.ids.size === 0) this.#leave(name, client, entry)
      else this.#fill(client)
    }
  }

  #leave(name: string, client: Client, entry: Entry): void {
    client.running.delete(entry)
    const at = client.waiting.indexOf(entry)
    if (at !== -1) client.waiting.splice(at, 1)
    entry.begin(new Set())
    this.#fill(client)
    if (client.running.size === 0 && this.#clients.get(name) === client) this.#clients.delete(name)
  }

  #fill({ running, waiting }: Client): void {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const calls = [...running].reduce((sum, { ids }) => sum + ids.size, next.ids.size)
      if (calls > this.limit) return
      waiting.shift()
      running.add(next)
      next.begin(new Set(next.ids))
    }
  }
}
