import type { Server } from '@modelcontextprotocol/server'
import type { Change, Session, Workspace } from '../../index.js'
import { SerialQueue } from '../../surface/index.js'
import { changedUris } from './resources.js'

/** Notifies a client of changed resources: after its own calls, and after changes by people or other processes. */
export class ResourceNotifier {
  readonly #session: Session
  readonly #server: Server
  readonly #subscribed = new Set<string>()
  #before: ResourceState | undefined
  readonly #queue = new SerialQueue()

  /** @param isModern whether the protocol library tracks subscriptions and filters notifications */
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
      await this.startTracking()
      return {}
    })
    server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
      this.#subscribed.delete(uri)
      return {}
    })
  }

  /** Also checks for changes by others, until the connection ends. */
  watch(watch: Workspace['watch'] | undefined): void {
    const end = watch?.(({ sessions, intents }) => {
      if (sessions.includes(this.#session.id) || intents) void this.notifyChanges()
    })
    const { onclose } = this.#server
    this.#server.onclose = () => {
      end?.()
      onclose?.()
    }
  }

  /** The client has listed or subscribed: tracks changes from now on. */
  async startTracking(): Promise<void> {
    this.#before ??= await this.#readState()
  }

  /** Sends notifications of changes. A failure fails no call. */
  notifyChanges(): Promise<void> {
    return this.#queue.run(() => this.#sendChanges()).catch(() => undefined)
  }

  async #sendChanges(): Promise<void> {
    if (this.#before === undefined) {
      // A modern client does not report its subscriptions.
      if (this.isModern) this.#before = await this.#readState()
      return
    }
    const [before, now] = [this.#before, await this.#readState()]
    this.#before = now
    if (before.list !== now.list) await this.#server.sendResourceListChanged()
    for (const uri of changedUris(this.#session, before.changes, now.changes))
      if (this.isModern || this.#subscribed.has(uri)) await this.#server.sendResourceUpdated({ uri })
  }

  async #readState(): Promise<ResourceState> {
    const { changes } = await this.#session.changes()
    const intents = (await this.#session.intents()).map(({ id }) => id)
    return { changes, list: JSON.stringify([this.#session.intent?.id, intents, changes.map(({ path }) => path)]) }
  }
}

interface ResourceState {
  readonly changes: readonly Change[]
  /** A digest of the state that the list of resources shows. */
  readonly list: string
}
