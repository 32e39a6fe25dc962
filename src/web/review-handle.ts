import { createHash } from 'node:crypto'
import type { Change, ChangeSet, Review, Workspace } from '../index.js'
import { SerialQueue } from '../surface/index.js'
import { Conflict } from './failure.js'

/** A change set as it was displayed, with a mark for each change. */
export interface Displayed {
  readonly set: ChangeSet
  readonly marks: ReadonlyMap<Change, string>
}

/** Milliseconds after which the change set is read again, because no event reports changes of the disk by other programs. */
const FRESH_MS = 3_000
/** How many sessions' reviews are cached. */
const MAX_HANDLES = 16

/** A session's review for the page: reads are shared, decisions run one at a time. */
export class ReviewHandle {
  readonly #opening: Promise<Review>
  #displayed: Promise<Displayed> | undefined
  #at = 0
  #isRanked = false
  readonly #queue = new SerialQueue()

  constructor(opening: Promise<Review>) {
    this.#opening = opening
  }

  /** Invalidates the displayed change set. */
  renew(): void {
    this.#at = 0
  }

  /**
   * The current change set. It is read again only after an invalidation or some time.
   * @param options `risk`: with facts, which every later reading then has, too
   */
  async current({ risk = false }: { readonly risk?: boolean } = {}): Promise<Displayed> {
    if (risk && !this.#isRanked) {
      this.#isRanked = true
      this.renew()
    }
    return this.#fresh() ?? this.#queue.run(() => this.#fresh() ?? this.#read())
  }

  /** The change set that was displayed last. */
  async displayed(): Promise<Displayed> {
    return this.#displayed ?? this.current()
  }

  review(): Promise<Review> {
    return this.#opening
  }

  /** Decides on the change set that was displayed last, then invalidates it. The review refuses changes that differ by now. */
  decide<T>(work: (review: Review, displayed: Displayed) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      const displayed = await (this.#displayed ?? this.#read())
      try {
        return await work(await this.#opening, displayed)
      } finally {
        this.renew()
      }
    })
  }

  #fresh(): Promise<Displayed> | undefined {
    return performance.now() - this.#at < FRESH_MS ? this.#displayed : undefined
  }

  async #read(): Promise<Displayed> {
    this.#at = performance.now()
    const reading = this.#opening.then(async (review) =>
      withMarks(await review.changes({ classes: 'known', risk: this.#isRanked })),
    )
    this.#displayed = reading
    reading.catch(() => {
      this.#displayed = undefined
    })
    return reading
  }
}

function withMarks(set: ChangeSet): Displayed {
  return { set, marks: new Map(set.changes.map((change) => [change, markOf(change)])) }
}

/** A digest that differs for other content, base, name, kind or mode. */
function markOf({ path, from, kind, before, after, mode }: Change): string {
  const fields = JSON.stringify([path, from, kind, before, after, mode])
  return createHash('sha256').update(fields).digest('base64url')
}

/** @throws Conflict if the change is not the displayed one. */
export function changeOf({ set, marks }: Displayed, path: string, mark: string): Change {
  const found = set.changes.find((change) => change.path === path && marks.get(change) === mark)
  if (found === undefined) throw new Conflict(path)
  return found
}

/**
 * @throws Conflict if the staged content is not the displayed one: the agent may have written since, and may restore it
 * later.
 */
export async function stagedContent(review: Review, { path, after }: Change): Promise<Uint8Array | undefined> {
  const content = await review.content(path, 'after')
  const digest = content && `sha256:${createHash('sha256').update(content).digest('hex')}`
  if (digest !== undefined && digest !== after) throw new Conflict(path)
  return content
}

/** The reviews of the sessions that were requested last. */
export class ReviewHandles {
  readonly #byId = new Map<string, ReviewHandle>()
  readonly #workspace: Workspace

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  of(id: string): ReviewHandle {
    const known = this.#byId.get(id)
    if (known !== undefined) this.#byId.delete(id)
    const handle = known ?? this.#open(id)
    this.#byId.set(id, handle)
    const [oldest] = this.#byId.keys()
    if (this.#byId.size > MAX_HANDLES && oldest !== undefined) this.#byId.delete(oldest)
    return handle
  }

  /** @param ids undefined for all. */
  renew(ids?: readonly string[]): void {
    for (const id of ids ?? this.#byId.keys()) this.#byId.get(id)?.renew()
  }

  #open(id: string): ReviewHandle {
    const opening = this.#workspace.review(id)
    opening.catch(() => this.#byId.delete(id))
    return new ReviewHandle(opening)
  }
}
