import { createHash } from 'node:crypto'
import type { Change, ChangeSet, Review, Workspace } from '../index.js'
import { SerialQueue } from '../surface/index.js'
import { Conflict } from './failure.js'

/** A change set as it was shown, and each change by what it was shown as. */
export interface Seen {
  readonly set: ChangeSet
  readonly marks: ReadonlyMap<Change, string>
}

/** Milliseconds after which the change set is read again: no event reports what other programs do to the disk. */
const FRESH_MS = 3_000
/** Sessions whose reviews are held. */
const MOST = 16

/** A session's review, as the page looks at it: looked at once for many questions, decided on one at a time. */
export class ReviewHandle {
  readonly #opening: Promise<Review>
  #seen: Promise<Seen> | undefined
  #at = 0
  readonly #queue = new SerialQueue()

  constructor(opening: Promise<Review>) {
    this.#opening = opening
  }

  /** What was shown may have moved. */
  renew(): void {
    this.#at = 0
  }

  /** The change set; not looked at again while nothing is known to have moved. */
  async current(): Promise<Seen> {
    return this.#fresh() ?? this.#queue.run(() => this.#fresh() ?? this.#look())
  }

  /** The change set as it was last shown. */
  async displayed(): Promise<Seen> {
    return this.#seen ?? this.current()
  }

  review(): Promise<Review> {
    return this.#opening
  }

  /** Decides on the change set that was shown last, and reads it again afterwards. The review refuses changes that differ by now. */
  decide<T>(work: (review: Review, seen: Seen) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      const seen = await (this.#seen ?? this.#look())
      try {
        return await work(await this.#opening, seen)
      } finally {
        this.renew()
      }
    })
  }

  #fresh(): Promise<Seen> | undefined {
    return Date.now() - this.#at < FRESH_MS ? this.#seen : undefined
  }

  async #look(): Promise<Seen> {
    this.#at = Date.now()
    const looking = this.#opening.then(async (review) => snapshotOf(await review.changes()))
    this.#seen = looking
    looking.catch(() => {
      this.#seen = undefined
    })
    return looking
  }
}

function snapshotOf(set: ChangeSet): Seen {
  return { set, marks: new Map(set.changes.map((change) => [change, markOf(change)])) }
}

/** Another content, base, name, kind or mode is another mark. */
function markOf({ path, from, kind, before, after, mode }: Change): string {
  const words = JSON.stringify([path, from, kind, before, after, mode])
  return createHash('sha256').update(words).digest('base64url')
}

/** @throws Moved where the change is not the one that was shown. */
export function changeOf({ set, marks }: Seen, path: string, mark: string): Change {
  const found = set.changes.find((change) => change.path === path && marks.get(change) === mark)
  if (found === undefined) throw new Conflict(path)
  return found
}

/** @throws Moved where what is staged is not what was shown: the agent can have written meanwhile, and can write back what was there. */
export async function stagedContent(review: Review, { path, after }: Change): Promise<Uint8Array | undefined> {
  const content = await review.content(path, 'after')
  const digest = content && `sha256:${createHash('sha256').update(content).digest('hex')}`
  if (digest !== undefined && digest !== after) throw new Conflict(path)
  return content
}

/** The rooms of the sessions that were asked about, the latest few. */
export class Rooms {
  readonly #byId = new Map<string, ReviewHandle>()
  readonly #workspace: Workspace

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  of(id: string): ReviewHandle {
    const known = this.#byId.get(id)
    if (known !== undefined) this.#byId.delete(id)
    const room = known ?? this.#open(id)
    this.#byId.set(id, room)
    const [oldest] = this.#byId.keys()
    if (this.#byId.size > MOST && oldest !== undefined) this.#byId.delete(oldest)
    return room
  }

  /** @param ids undefined: of all. */
  renew(ids?: readonly string[]): void {
    for (const id of ids ?? this.#byId.keys()) this.#byId.get(id)?.renew()
  }

  #open(id: string): ReviewHandle {
    const opening = this.#workspace.review(id)
    opening.catch(() => this.#byId.delete(id))
    return new ReviewHandle(opening)
  }
}
