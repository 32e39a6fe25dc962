import type { Answer, Id, Notification, RpcError } from './message.js'

/** A request that was put to a side and waits for its answer. */
export interface Asked {
  /** What names it there. */
  readonly id: number
  /** Never rejects. */
  readonly answer: Promise<Answer>
}

/** One side of the connection: what is asked of it has names of its own, so that the other side's never meet ours. */
export class Peer {
  #last = 0
  readonly #waiting = new Map<Id, (answer: Answer) => void>()
  #ended: RpcError | undefined

  /** @param write takes a line, its end included. */
  constructor(private readonly write: (line: string) => void) {}

  ask(method: string, params: unknown): Asked {
    const id = ++this.#last
    const answer = new Promise<Answer>((resolve) => {
      if (this.#ended) resolve({ error: this.#ended })
      else this.#waiting.set(id, resolve)
    })
    this.#send({ id, method, params })
    return { id, answer }
  }

  notify({ method, params }: Notification): void {
    this.#send({ method, params })
  }

  answer(id: Id, answer: Answer): void {
    this.#send({ id, ...answer })
  }

  /** An answer of this side; one that nobody waits for is let go. */
  resolveRequest(id: Id, answer: Answer): void {
    this.#waiting.get(id)?.(answer)
    this.#waiting.delete(id)
  }

  /** It answers no more. */
  end(error: RpcError): void {
    this.#ended ??= error
    for (const settle of this.#waiting.values()) settle({ error })
    this.#waiting.clear()
  }

  #send(message: object): void {
    if (this.#ended === undefined) this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
}
