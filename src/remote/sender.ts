import { setTimeout as sleep } from 'node:timers/promises'
import type { Workspace } from '../core/api.js'
import { HubRefusal } from './ask.js'
import type { HubClient } from './hub-client.js'
import { type Outgoing, readOutgoing, StageMoved } from './outgoing.js'
import type { SyncReport } from './report.js'

/** Attempts to read a stage that an agent is writing. The next pass tries again. */
const READS = 5
/** Files that a session claims. One with more work claims none: the hub shows the overlaps of its changes at landing. */
const MAX_CLAIMS = 50
const CLAIM_MS = 3_600_000

/** Characters of an agent's name that the hub takes. */
const MAX_AGENT = 200

/** For a session that was removed on this machine. */
const GONE: Outgoing = { digest: 'gone', facts: { intents: [] }, changes: [], content: async () => undefined }

/** Sends what sessions have staged: at least once, and resumable, because the hub names the contents that it lacks. */
export class Sender {
  readonly #epochs = new Map<string, number>()
  readonly #sent = new Map<string, string>()
  readonly #intents = new Map<string, string>()
  readonly #claims = new Map<string, Set<string>>()
  readonly #problems = new Map<string, string>()
  #revision = 0

  constructor(
    private readonly workspace: Workspace,
    private readonly client: HubClient,
    private readonly name: string,
    private readonly report: (report: SyncReport) => void,
    /** The digest last reported as sent, by session. A new process sends it again, because the hub may have been replaced. */
    private readonly told: Map<string, string>,
  ) {}

  /** Whether the last pass left a session that the next one sends again. */
  get isBehind(): boolean {
    return this.#problems.size > 0
  }

  /**
   * Sends each session that has changed. One that the hub has and that is now empty is sent once more, so that it leaves the queue.
   * @param known the sessions that the hub has
   * @returns the sessions that the hub has now
   */
  async send(known: readonly string[]): Promise<string[]> {
    await this.#sendIntents()
    const staged = (await this.workspace.sessions()).filter(({ changes }) => changes > 0).map(({ id }) => id)
    const remaining = new Set(staged)
    for (const session of new Set([...staged, ...known])) {
      try {
        await this.#sendSession(session)
        this.#problems.delete(session)
      } catch (error) {
        // Another process of this host may send, or an agent is writing. The other sessions go on.
        if (!(error instanceof StageMoved) && !(error instanceof HubRefusal && error.code !== 'away')) throw error
        // Once for each: it is sent again until the hub takes it.
        if (this.#problems.get(session) !== error.message)
          this.report({ kind: 'problem', session, message: error.message })
        this.#problems.set(session, error.message)
        remaining.add(session)
        this.told.delete(session)
      }
    }
    return [...remaining]
  }

  async #sendIntents(): Promise<void> {
    for (const { id, name, status } of await this.workspace.intents.list()) {
      const text = JSON.stringify([name, status])
      if (this.#intents.get(id) === text) continue
      await this.client.putIntent(id, { name, status })
      this.#intents.set(id, text)
    }
  }

  async #sendSession(session: string): Promise<void> {
    const outgoing = await this.#read(session)
    if (this.#sent.get(session) === outgoing.digest) return
    await this.#fenced(session, (epoch) => this.#submit(session, epoch, outgoing))
    this.#sent.set(session, outgoing.digest)
    if (this.told.get(session) !== outgoing.digest)
      this.report({ kind: 'sent', session, changes: outgoing.changes.length })
    this.told.set(session, outgoing.digest)
    await this.#fenced(session, (epoch) => this.#claim(session, epoch, outgoing))
  }

  async #read(session: string): Promise<Outgoing> {
    const known = (await this.workspace.sessions()).find(({ id }) => id === session)
    if (known === undefined) return GONE
    const agent = [known.agent?.tool, known.agent?.model].filter((part) => part !== undefined).join(':')
    for (let reads = 1; ; reads++) {
      try {
        return await readOutgoing(
          this.workspace,
          session,
          agent === '' ? undefined : agent.slice(0, MAX_AGENT).toWellFormed(),
        )
      } catch (error) {
        if (!(error instanceof StageMoved) || reads === READS) throw error
        await sleep(2 ** reads)
      }
    }
  }

  /** Runs `work` with the session's epoch, and once more with a new one if the lease was over. */
  async #fenced(session: string, work: (epoch: number) => Promise<void>): Promise<void> {
    const known = this.#epochs.get(session)
    if (known !== undefined) {
      try {
        await this.client.beat(this.#nameOf(session), known)
        return await work(known)
      } catch (error) {
        if (!(error instanceof HubRefusal && error.code === 'fenced')) throw error
      }
    }
    const epoch = await this.client.open(this.#nameOf(session))
    this.#epochs.set(session, epoch)
    await work(epoch)
  }

  /** Hosts name their sessions alike, so the hub's names have the host's before them. */
  #nameOf(session: string): string {
    return `${this.name}.${session}`
  }

  async #submit(session: string, epoch: number, { digest, facts, changes, content }: Outgoing): Promise<void> {
    const message = { session: this.#nameOf(session), epoch, digest, revision: ++this.#revision, changes, facts }
    try {
      await this.client.submit(message)
    } catch (error) {
      if (!(error instanceof HubRefusal && error.code === 'missing')) throw error
      for (const lacked of error.details) {
        const bytes = await content(lacked)
        if (bytes === undefined)
          throw new StageMoved('The agent has changed a file while it was sent. The next pass sends it.')
        await this.client.putContent(lacked, bytes)
      }
      await this.client.submit(message)
    }
  }

  /** Claims the files that the session has changed, and reports those that another session changes too. It blocks nothing. */
  async #claim(session: string, epoch: number, { changes }: Outgoing): Promise<void> {
    const wanted = new Set(changes.length > MAX_CLAIMS ? [] : changes.map(({ path }) => path))
    const held = this.#claims.get(session) ?? new Set()
    this.#claims.set(session, held)
    const claim = { session: this.#nameOf(session), epoch }
    for (const path of held) {
      if (wanted.has(path)) continue
      await this.client.release(Object.assign({ path }, claim))
      held.delete(path)
    }
    for (const path of wanted) {
      if (held.has(path)) continue
      const overlaps = await this.client.claim(Object.assign({ path, milliseconds: CLAIM_MS }, claim))
      for (const { session: other } of overlaps) this.report({ kind: 'overlap', session, path, other })
      held.add(path)
    }
  }
}
