import type { ChangeGroup, ChangeSet, Question, SessionSummary, Workspace } from 'escrowfs'
import type { Library } from './library.js'

/** What waits in one session, as it was looked at. */
export interface SessionLook {
  readonly room: Room
  readonly summary: SessionSummary
  readonly set: ChangeSet
  /** In the order they are to be read. */
  readonly groups: readonly ChangeGroup[]
  readonly questions: readonly Question[]
}

/** One workspace under review. */
export class Room {
  #looks: readonly SessionLook[] = []
  #looking: Promise<void> = Promise.resolve()
  #isDue = false
  readonly #unwatch: () => void
  /** What a person has opened, by session and path: while the stage holds another, a verdict on it is refused. */
  readonly #opened = new Map<string, string>()

  /** @param told after each look that the workspace itself asked for */
  constructor(
    readonly library: Library,
    readonly workspace: Workspace,
    told: () => void,
    failed: (error: unknown) => void,
  ) {
    this.#unwatch = workspace.watch(() => {
      this.look().then(told, failed)
    })
  }

  get root(): string {
    return this.workspace.root
  }

  get looks(): readonly SessionLook[] {
    return this.#looks
  }

  /** Looks at what waits now. Looks asked for while one is under way are one. */
  look(): Promise<void> {
    if (this.#isDue) return this.#looking
    this.#isDue = true
    const next = this.#looking
      .catch(() => undefined)
      .then(async () => {
        this.#isDue = false
        this.#looks = await this.#lookNow()
        this.#forgetGone()
      })
    this.#looking = next
    return next
  }

  async #lookNow(): Promise<SessionLook[]> {
    const looks: SessionLook[] = []
    for (const summary of await this.workspace.sessions()) {
      const review = await this.workspace.review(summary.id)
      const [set, questions] = [await review.changes(), await review.questions()]
      if (set.changes.length === 0 && questions.length === 0) continue
      looks.push({ room: this, summary, set, groups: this.library.escrow.groupChanges(set), questions })
    }
    return looks
  }

  opened(session: string, path: string, shown: string): void {
    this.#opened.set(wordOf(session, path), shown)
  }

  openedAs(session: string, path: string): string | undefined {
    return this.#opened.get(wordOf(session, path))
  }

  /** What comes back under a name that was decided on is a change nobody has opened. */
  #forgetGone(): void {
    const there = new Set(
      this.#looks.flatMap(({ summary, set }) => set.changes.map(({ path }) => wordOf(summary.id, path))),
    )
    for (const word of this.#opened.keys()) if (!there.has(word)) this.#opened.delete(word)
  }

  async close(): Promise<void> {
    this.#unwatch()
    await this.#looking.catch(() => undefined)
    await this.workspace.close()
  }
}

function wordOf(session: string, path: string): string {
  return JSON.stringify([session, path])
}
