import { digest, EMPTY_DIGEST } from '../../overlay/index.js'
import type { Change, Review, Workspace } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { QueuedChange, SessionFacts } from '../hub/index.js'
import { factsOf, limitAll, readSessionFacts } from './facts.js'

/** Contents above this size are not sent, and so cannot be approved on the hub. */
const MAX_CONTENT_BYTES = 4 * 1024 * 1024
const RISKS = { none: 0, note: 1, look: 2, stop: 3 } as const

/** A change set as it is sent, and where its contents are. */
export interface Outgoing {
  /** Of the changes and of the facts about the session: if one differs, it is sent again. */
  readonly digest: string
  readonly facts: SessionFacts
  readonly changes: readonly QueuedChange[]
  /** Reads a content again. Undefined if it has changed in the meantime. */
  content(digest: string): Promise<Uint8Array | undefined>
}

/** Thrown if the agent wrote between two reads, so that the change set is not of one moment. */
export class StageMoved extends Error {
  override readonly name = 'StageMoved'
}

interface Place {
  readonly path: string
  readonly side: 'before' | 'after'
}

/**
 * Reads what a session has staged.
 * @param agent the tool and model of the session's agent
 * @throws StageMoved
 */
export async function readOutgoing(workspace: Workspace, session: string, agent?: string): Promise<Outgoing> {
  const review = await workspace.review(session)
  const set = await review.changes({ risk: true })
  const places = new Map<string, Place>()
  const queued: QueuedChange[] = []
  for (const change of set.changes)
    queued.push(Object.assign(await toQueued(review, change, places), defined({ agent })))
  const changes = limitAll(queued)
  const facts = await readSessionFacts(workspace, changes, agent)
  return {
    digest: digest(JSON.stringify([set.digest, facts])),
    facts,
    changes,
    async content(wanted) {
      const place = places.get(wanted)
      const bytes = place === undefined ? undefined : await review.content(place.path, place.side)
      return bytes !== undefined && digest(bytes) === wanted ? bytes : undefined
    },
  }
}

async function toQueued(review: Review, change: Change, places: Map<string, Place>): Promise<QueuedChange> {
  const { path, from, kind, before, after, mode, risk, flags, intentId: intent } = change
  const sides = [await readSide(review, change, 'before', places), await readSide(review, change, 'after', places)]
  const [old, now] = sides
  const digests = old === undefined || now === undefined ? undefined : { before: old, after: now }
  const link: true | undefined = flags.includes('symlink') ? true : undefined
  return {
    path,
    kind,
    before,
    after,
    risk: RISKS[risk?.level ?? 'none'],
    ...defined({ from, mode, shown: digests, link, intent, facts: factsOf(change) }),
  }
}

/** The digest of a side's content; null without content; undefined if it is too large. */
async function readSide(
  review: Review,
  change: Change,
  side: Place['side'],
  places: Map<string, Place>,
): Promise<string | null | undefined> {
  const expected = change[side]
  if (expected === null) return null
  const bytes = await review.content(change.path, side)
  if (bytes === undefined && expected === EMPTY_DIGEST) return null
  if (bytes !== undefined && bytes.length > MAX_CONTENT_BYTES) return undefined
  if (bytes === undefined || digest(bytes) !== expected)
    throw new StageMoved(`${change.path} has changed while it was read.`)
  places.set(expected, { path: change.path, side })
  return expected
}
