import type { Answer, Id, Notification, RpcError } from './message.js'

/** A request to a peer that waits for its response. */
export interface PendingRequest {
  /** Its id at the peer. */
  readonly id: number
  /** Never rejects. */
  readonly answer: Promise<Answer>
}

/** One side of the connection. Requests to it get new ids, so that the other side's ids never collide with ours. */
export class Peer {
  #last = 0
  readonly #pending = new Map<Id, (answer: Answer) => void>()
  #ended: RpcError | undefined

  /** @param write takes a line with its line break. */
  constructor(private readonly write: (line: string) => void) {}

  request(method: string, params: unknown): PendingRequest {
    const id = ++this.#last
    const answer = new Promise<Answer>((resolve) => {
      if (this.#ended) resolve({ error: this.#ended })
      else this.#pending.set(id, resolve)
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

  /** Handles a response of this side; a response to no request is ignored. */
  resolveRequest(id: Id, answer: Answer): void {
    this.#pending.get(id)?.(answer)
    this.#pending.delete(id)
  }

  /** Ends the connection: pending requests fail with this error. */
  end(error: RpcError): void {
    this.#ended ??= error
    for (const settle of this.#pending.values()) settle({ error })
    this.#pending.clear()
  }

  #send(message: object): void {
    if (this.#ended === undefined) this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
}
