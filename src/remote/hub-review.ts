import type { Change, ChangeSet, ChangeState, Hunk } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import {
  type DecisionRequest,
  decidableHunks,
  describeMissing,
  type SessionFacts,
  type SubmissionDetails,
  type SubmissionSummary,
  type SubmittedChange,
} from '../hub/index.js'
import { diffFile, type FileDiff } from '../review/index.js'
import type { HubAddress } from './ask.js'
import { ReviewClient } from './review-client.js'

/** A change set of a hub, as a reviewer reads it. */
export interface HubChangeSet {
  readonly session: string
  /** The agent's tool and model, as its machine says. */
  readonly agent: string | undefined
  readonly set: ChangeSet
  /**
   * Lines below the names of files, by path: the facts that the machine sent about a change, and the approvals that it
   * still needs.
   */
  readonly notes: ReadonlyMap<string, readonly string[]>
  /** The facts that the machine sent about the intents, a paragraph each. */
  readonly facts: readonly string[]
}

/** The subject of a decision: all listed changes, or one change, or one hunk of it. */
export type HubTarget = { readonly all: readonly Change[] } | { readonly change: Change; readonly hunkId?: string }

/** A session in the queue of a hub. */
export type HubSession = SubmissionSummary

interface Loaded {
  readonly details: SubmissionDetails
  readonly diffs: ReadonlyMap<string, FileDiff>
}

/**
 * A reviewer's connection to a hub.
 * @throws EscrowError `access_denied` if the token may not decide
 */
export async function connectReviewer(to: HubAddress): Promise<HubReviewer> {
  const client = new ReviewClient(to)
  const { role, name, workspace } = await client.me()
  if (role !== 'reviewer')
    throw new EscrowError('access_denied', `This token has the role ${role}, and only a reviewer decides.`, {
      hint: "The hub's operator makes one with 'escrow hub token add NAME --role reviewer'.",
    })
  return { name, workspace, queue: () => client.queue(), open: (session) => HubReview.open(client, session) }
}

export interface HubReviewer {
  readonly name: string
  readonly workspace: string
  queue(): Promise<readonly HubSession[]>
  /** @throws EscrowError `nothing_selected` if nothing of the session waits */
  open(session: string): Promise<HubReview>
}

/** The review of one session on a hub. Each decision is bound to the bytes that were read last. */
export class HubReview {
  /** Contents never change. */
  readonly #contents = new Map<string, Uint8Array>()
  #loaded: Loaded | undefined

  private constructor(
    private readonly client: ReviewClient,
    private readonly session: string,
    private id: string,
  ) {}

  static async open(client: ReviewClient, session: string): Promise<HubReview> {
    const id = await newestOf(client, session)
    if (id !== undefined) return new HubReview(client, session, id)
    throw new EscrowError('nothing_selected', `Nothing of the session '${session}' waits on the hub.`, {
      hint: "'escrow review --hub' lists what waits.",
    })
  }

  /** Reads the newest change set of the session. */
  async read(): Promise<HubChangeSet> {
    let details = await this.client.submission(this.id)
    if (!details.isOpen) {
      this.id = (await newestOf(this.client, this.session)) ?? this.id
      details = await this.client.submission(this.id)
    }
    const known = this.#loaded?.diffs
    const diffs = new Map<string, FileDiff>()
    for (const change of details.changes) {
      // A key is bound to both contents, so its diff never changes.
      const diff = known?.get(change.key) ?? (await this.#diff(change))
      if (diff !== undefined) diffs.set(change.key, diff)
    }
    this.#loaded = { details, diffs }
    return toChangeSet(this.#loaded)
  }

  /**
   * Records a decision on what {@link read} read last.
   * @param reason for a rejection, for the agent
   * @throws EscrowError `unsupported` for a hunk of a change that can only be decided as a whole
   * @throws HubRefusal `superseded` if the agent has changed it since
   */
  async decide(target: HubTarget, verdict: DecisionRequest['verdict'], reason?: string): Promise<void> {
    const chosen = 'all' in target ? { keys: target.all.map((change) => this.#find(change).key) } : this.#choose(target)
    await this.client.decide(this.id, { ...chosen, verdict, ...defined({ reason }) })
  }

  /** The staged content of a change; undefined if there is none to show. */
  async content(change: Change): Promise<Uint8Array | undefined> {
    const after = this.#find(change).shown?.after ?? undefined
    return after === undefined ? undefined : this.#content(after)
  }

  #choose({
    change,
    hunkId,
  }: Extract<HubTarget, { readonly change: Change }>): Pick<DecisionRequest, 'keys' | 'hunks'> {
    const found = this.#find(change)
    if (hunkId === undefined || change.hunks.length === 1) return { keys: [found.key] }
    const diff = this.#loaded?.diffs.get(found.key)
    const single = diff === undefined ? [] : decidableHunks(found, diff)
    if (single.some(({ id }) => id === hunkId)) return { keys: [], hunks: [{ key: found.key, ids: [hunkId] }] }
    throw new EscrowError('unsupported', `${change.path} can only be decided as a whole: Y approves it, N rejects it.`)
  }

  #find({ path, kind }: Change): SubmittedChange {
    const found = this.#loaded?.details.changes.find((each) => each.path === path && each.kind === kind)
    if (found !== undefined) return found
    throw new EscrowError('stale_file', `${path} is no longer in the change set. Nothing was recorded.`)
  }

  async #diff({ path, shown }: SubmittedChange): Promise<FileDiff | undefined> {
    if (shown === undefined) return undefined
    const [before, after] = [await this.#side(shown.before), await this.#side(shown.after)]
    return diffFile(before, after, path)
  }

  async #side(ofDigest: string | null): Promise<Uint8Array | null> {
    return ofDigest === null ? null : this.#content(ofDigest)
  }

  async #content(ofDigest: string): Promise<Uint8Array> {
    const known = this.#contents.get(ofDigest) ?? (await this.client.content(ofDigest))
    this.#contents.set(ofDigest, known)
    return known
  }
}

/** The id of the newest change set of a session that waits. */
async function newestOf(client: ReviewClient, session: string): Promise<string | undefined> {
  return (await client.queue()).find((each) => each.session === session)?.id
}

function toChangeSet({ details, diffs }: Loaded): HubChangeSet {
  const { id, session, facts, changes } = details
  const notes = changes.map((change) => [change.path, notesOf(change)] as const)
  return {
    session,
    agent: facts?.agent,
    set: { digest: id, changes: changes.map((change) => toChange(change, diffs.get(change.key))) },
    notes: new Map(notes.filter(([, lines]) => lines.length > 0)),
    facts: describeFacts(facts),
  }
}

function toChange(change: SubmittedChange, diff: FileDiff | undefined): Change {
  const { path, from, kind, before, after, mode, intent, verdict } = change
  const whole: ChangeState = verdict === 'approved' || verdict === 'rejected' ? verdict : 'pending'
  const verdicts = new Map(change.hunks?.map((each) => [each.id, each.verdict]))
  const hunks = (diff?.hunks ?? []).map((hunk): Hunk => ({ ...hunk, state: verdicts.get(hunk.id) ?? whole }))
  const flags = [
    ...(diff?.encoding ?? []),
    ...(diff?.binary === true ? ['binary'] : []),
    ...(diff === undefined ? ['large'] : []),
    ...(change.link === true ? ['symlink'] : []),
  ]
  return { path, kind, before, after, hunks, state: whole, flags, ...defined({ from, mode, intentId: intent }) }
}

/**
 * The facts that the machine sent about a change, the approvals that it still needs, and the verdict of somebody else.
 */
function notesOf(change: SubmittedChange): string[] {
  const { facts = [], verdict, reviewer, reason } = change
  const by = reviewer === undefined ? '' : ` by ${reviewer}`
  const decided =
    verdict === undefined || verdict === 'mixed' ? [] : [`${verdict}${by}${reason === undefined ? '' : `: ${reason}`}`]
  const missing = verdict === 'approved' ? '' : describeMissing(change)
  return [...facts, ...decided, ...(missing === '' ? [] : [missing])]
}

function describeFacts(facts: SessionFacts | undefined): string[] {
  return (facts?.intents ?? []).flatMap(({ id, name, scope, criteria }) => [
    `${id}: ${name}`,
    ...(scope.length === 0 ? [] : [`Scope: ${scope.join(', ')}`]),
    ...criteria.map((sentence) => `- ${sentence}`),
  ])
}
