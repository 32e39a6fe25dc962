import type { ChangeGroup, ChangeSet, Question, SessionSummary, Workspace } from 'escrowfs'
import type { Library } from './library.js'

/** The staged changes and questions of a session at one time. */
export interface SessionSnapshot {
  readonly reviewed: ReviewedWorkspace
  readonly summary: SessionSummary
  readonly set: ChangeSet
  /** The changes in reading order. */
  readonly groups: readonly ChangeGroup[]
  readonly questions: readonly Question[]
  /** The error if the session cannot be read. */
  readonly problem?: string
}

/** One workspace under review. */
export class ReviewedWorkspace {
  #sessions: readonly SessionSnapshot[] = []
  #reloading: Promise<void> = Promise.resolve()
  #isQueued = false
  readonly #unwatch: () => void
  /** The display keys of opened changes, by session and path. A verdict on a changed one is refused. */
  readonly #opened = new Map<string, string>()

  /** @param onChange called after each reload that a workspace event caused */
  constructor(
    readonly library: Library,
    readonly workspace: Workspace,
    onChange: () => void,
    onError: (error: unknown) => void,
  ) {
    // Its own reading makes classes known, so that news alone is no reason to read again.
    this.#unwatch = workspace.watch(({ sessions, ledger, intents, policy }) => {
      if (sessions.length > 0 || ledger || intents || policy) this.reload().then(onChange, onError)
    })
  }

  get root(): string {
    return this.workspace.root
  }

  get sessions(): readonly SessionSnapshot[] {
    return this.#sessions
  }

  /** Reloads the sessions. Calls during a reload share the next one. */
  reload(): Promise<void> {
    if (this.#isQueued) return this.#reloading
    this.#isQueued = true
    const next = this.#reloading
      .catch(() => undefined)
      .then(async () => {
        this.#isQueued = false
        this.#sessions = await this.#readSessions()
        this.#forgetRemoved()
      })
    this.#reloading = next
    return next
  }

  async #readSessions(): Promise<SessionSnapshot[]> {
    const sessions: SessionSnapshot[] = []
    for (const summary of await this.workspace.sessions()) {
      const snapshot = await this.#readSession(summary)
      if (snapshot.set.changes.length > 0 || snapshot.questions.length > 0 || snapshot.problem !== undefined)
        sessions.push(snapshot)
    }
    return sessions
  }

  /** Reads a session. An error does not affect other sessions. */
  async #readSession(summary: SessionSummary): Promise<SessionSnapshot> {
    try {
      const review = await this.workspace.review(summary.id)
      const [set, questions] = [await review.changes({ risk: true }), await review.questions()]
      return { reviewed: this, summary, set, groups: this.library.escrow.groupChanges(set), questions }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { reviewed: this, summary, set: { digest: '', changes: [] }, groups: [], questions: [], problem }
    }
  }

  markOpened(session: string, path: string, shown: string): void {
    this.#opened.set(pathKey(session, path), shown)
  }

  openedKey(session: string, path: string): string | undefined {
    return this.#opened.get(pathKey(session, path))
  }

  /** Forgets opened changes that are no longer staged. A later change of the path counts as not opened. */
  #forgetRemoved(): void {
    const there = new Set(
      this.#sessions.flatMap(({ summary, set }) => set.changes.map(({ path }) => pathKey(summary.id, path))),
    )
    for (const word of this.#opened.keys()) if (!there.has(word)) this.#opened.delete(word)
  }

  async close(): Promise<void> {
    this.#unwatch()
    await this.#reloading.catch(() => undefined)
    await this.workspace.close()
  }
}

function pathKey(session: string, path: string): string {
  return JSON.stringify([session, path])
}
