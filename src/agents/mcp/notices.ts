import type { Server } from '@modelcontextprotocol/server'
import type { Change, Session, Workspace } from '../../index.js'
import { SerialQueue } from '../../surface/index.js'
import { changedUris } from './resources.js'

/** Tells a client that looks at resources when they have changed: by a call of its own, or by what a person or another process did. */
export class Notices {
  readonly #session: Session
  readonly #server: Server
  readonly #subscribed = new Set<string>()
  #before: Look | undefined
  readonly #queue = new SerialQueue()

  /** @param isModern who listens to what is known to the library: it passes on what is listened to. */
  constructor(
    session: Session,
    server: Server,
    private readonly isModern: boolean,
  ) {
    this.#session = session
    this.#server = server
    if (isModern) return
    server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
      this.#subscribed.add(uri)
      await this.ensureFirstLook()
      return {}
    })
    server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
      this.#subscribed.delete(uri)
      return {}
    })
  }

  /** What happens elsewhere is looked at, too, until the connection ends. */
  hear(watch: Workspace['watch'] | undefined): void {
    const end = watch?.(({ sessions, intents }) => {
      if (sessions.includes(this.#session.id) || intents) void this.after()
    })
    const { onclose } = this.#server
    this.#server.onclose = () => {
      end?.()
      onclose?.()
    }
  }

  /** The client has listed or subscribed: from now on it is told what differs. */
  async ensureFirstLook(): Promise<void> {
    this.#before ??= await this.#look()
  }

  /** A notice that cannot be made or sent fails no call. */
  after(): Promise<void> {
    return this.#queue.run(() => this.#tell()).catch(() => undefined)
  }

  async #tell(): Promise<void> {
    if (this.#before === undefined) {
      // Who listens has not told us so.
      if (this.isModern) this.#before = await this.#look()
      return
    }
    const [before, now] = [this.#before, await this.#look()]
    this.#before = now
    if (before.list !== now.list) await this.#server.sendResourceListChanged()
    for (const uri of changedUris(this.#session, before.changes, now.changes))
      if (this.isModern || this.#subscribed.has(uri)) await this.#server.sendResourceUpdated({ uri })
  }

  async #look(): Promise<Look> {
    const { changes } = await this.#session.changes()
    const intents = (await this.#session.intents()).map(({ id }) => id)
    return { changes, list: JSON.stringify([this.#session.intent?.id, intents, changes.map(({ path }) => path)]) }
  }
}

interface Look {
  readonly changes: readonly Change[]
  /** What the list of resources depends on. */
  readonly list: string
}
