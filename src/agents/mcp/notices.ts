import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Change, Session } from '../../index.js'
import { changedUris } from './resources.js'

/** Tells a client that looks at resources when they have changed. It is looked for after each call, as no call is made in between. */
export class Notices {
  readonly #session: Session
  readonly #server: Server
  readonly #subscribed = new Set<string>()
  #before: Look | undefined

  constructor(session: Session, server: Server) {
    this.#session = session
    this.#server = server
    server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
      this.#subscribed.add(uri)
      await this.looked()
      return {}
    })
    server.setRequestHandler(UnsubscribeRequestSchema, async ({ params: { uri } }) => {
      this.#subscribed.delete(uri)
      return {}
    })
  }

  /** The client has listed or subscribed: from now on it is told what differs. */
  async looked(): Promise<void> {
    this.#before ??= await this.#look()
  }

  /** A notice that cannot be made or sent fails no call. */
  async after(): Promise<void> {
    if (this.#before === undefined) return
    try {
      const [before, now] = [this.#before, await this.#look()]
      this.#before = now
      if (before.list !== now.list) await this.#server.sendResourceListChanged()
      for (const uri of changedUris(this.#session, before.changes, now.changes))
        if (this.#subscribed.has(uri)) await this.#server.sendResourceUpdated({ uri })
    } catch {}
  }

  async #look(): Promise<Look> {
    const { changes } = await this.#session.changes()
    return { changes, list: JSON.stringify([this.#session.intent?.id, changes.map(({ path }) => path)]) }
  }
}

interface Look {
  readonly changes: readonly Change[]
  /** What the list of resources depends on. */
  readonly list: string
}
