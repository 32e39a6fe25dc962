import type { ApprovedTree } from '../acceptance/index.js'
import type { Change, CheckReport, CommitOptions, CommitResult, Review, Verdict } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { ReleaseDecision, ReleaseOptions, ReleaseReport, ReleaseRules, ReleaseTier } from '../core/release-api.js'
import { type DecidedTree, type DisplayedChange, matches, type ReviewByRule } from '../review/index.js'
import { decideRelease, rulesDigest } from '../tiers/index.js'
import type { ReviewedSession } from './reviewed-session.js'

const BY_POLICY = { name: 'policy' }

/** The parts of a review that a release uses. */
export interface ReleasedReview extends Pick<Review, 'withdraw' | 'check' | 'checks'> {
  readonly byRule: ReviewByRule
  /** The changes that a commit would write now, and the number of the workspace's last commit. */
  current(): Promise<ApprovedTree & { readonly after: number }>
  /**
   * @param options `evidence`: the ids of check runs, for the commit's record. `only`: the changes that it may write
   */
  commit(
    options: CommitOptions & { readonly evidence?: readonly string[]; readonly only: DecidedTree },
  ): Promise<CommitResult>
}

/** One release by rule: decides, approves, checks and commits. See `Review.release`. */
export async function releaseByRule(
  review: ReleasedReview,
  session: Pick<ReviewedSession, 'policyFile'>,
  options: ReleaseOptions,
): Promise<ReleaseReport> {
  const rules = rulesOf(session)
  const since = review.byRule.rules.records()
  const { set, displayed } = await review.byRule.changes()
  const { changes } = set
  const decisions = decideRelease(rules, changes)
  if (options.dryRun === true || rules === undefined) return { decisions, approved: [] }
  const digest = rulesDigest(rules)
  let known = since
  // Our own records may follow the ones that the decisions knew. Anybody else's may be a rejection.
  const isAlone = (own: number) => {
    const before = known.length
    known = review.byRule.rules.records()
    return known.length === before + own
  }
  const stopDisturbed = () => stoppedResult(review, decisions, 'A reviewer recorded a verdict meanwhile. Try again.')
  if (!isAlone((await withdrawOutdated(review, decisions, digest)) ? 1 : 0)) return stopDisturbed()
  for (const tier of rules.tiers) {
    const isReleased = pendingFor(changes, decisions, tier)
    const released = displayed.filter((_, at) => isReleased(at))
    if (released.length === 0) continue
    const verdict = await review.byRule.rules.approve(released, { tier: tier.name, policy: digest }, known)
    if (verdict === undefined || !isAlone(1)) return stopDisturbed()
  }
  const decided = displayed.filter((_, at) => decisions[at]?.tier !== undefined)
  return finish(review, { session, rules, digest, decisions, decided, changes, options })
}

interface Run {
  readonly session: Pick<ReviewedSession, 'policyFile'>
  readonly rules: ReleaseRules
  readonly digest: string
  readonly decisions: readonly ReleaseDecision[]
  /** The changes that a tier releases, as they were when it decided. */
  readonly decided: readonly DisplayedChange[]
  readonly changes: readonly Change[]
  readonly options: ReleaseOptions
}

/**
 * Checks and commits what rules have approved, unless a check, a person or a tier stops it. An agent can change its
 * stage at any time, and a change that it restores has its approval again. So the decisions, the checks and the commit
 * must refer to the same tree.
 */
async function finish(review: ReleasedReview, run: Run): Promise<ReleaseReport> {
  const { rules, digest, decisions, session, options, decided } = run
  const stop = (why?: string) => stoppedResult(review, decisions, why)
  const { byRule, byPerson } = await review.byRule.rules.approvals()
  if (byRule.size === 0) return { decisions, approved: [] }
  if (byPerson.length > 0) return stop("A person has approved other changes: commit all of them with 'escrow commit'.")
  const { tree, changes, after } = await review.current()
  if (!changes.every((change) => byRule.has(change.path) && decided.some((each) => matches(each, change))))
    return stop(CHANGED)
  const tierOf = new Map(rules.tiers.map((tier) => [tier.name, tier]))
  const heldUntil = Math.max(...[...byRule.values()].map((verdict) => endOfHold(verdict, tierOf)))
  const isHeld = heldUntil > Date.now()
  const {
    problem,
    isOther,
    evidence = [],
  } = await checksOf(review, run, { approved: [...byRule], tierOf, tree, isHeld })
  if (isOther) return stop(CHANGED)
  if (problem !== undefined) {
    await review.withdraw([...byRule.keys()], BY_POLICY)
    return { decisions, approved: [], stopped: `${problem} The approvals by rule are withdrawn.` }
  }
  if (isHeld) return { ...(await stop()), heldUntil: new Date(heldUntil).toISOString() }
  const now = rulesOf(session)
  if (now === undefined || rulesDigest(now) !== digest) return stop('The rules have changed meanwhile. Try again.')
  try {
    const only = { tree, ...(evidence.length > 0 && { after }) }
    const result = await review.commit({ evidence, only, ...defined({ signal: options.signal }) })
    const evidenceField = evidence.length > 0 ? { evidence } : {}
    return { ...committedResult(result, decisions, [...byRule.keys()]), ...evidenceField }
  } catch (error) {
    // The approvals stay. The next release commits once a person has ticked the sentences, or the stage no longer
    // changes.
    if (error instanceof EscrowError && (error.reason === 'unticked' || error.reason === 'stale_file'))
      return stop([error.message, error.hint ?? ''].join(' ').trim())
    throw error
  }
}

const CHANGED = 'The staged changes have changed meanwhile. Try again.'

function committedResult(
  { id, seq, committed: paths }: CommitResult,
  decisions: readonly ReleaseDecision[],
  approved: readonly string[],
): ReleaseReport {
  return { decisions, approved, ...(id !== '' && { commit: { id, seq, paths: paths.toSorted() } }) }
}

async function stoppedResult(
  review: ReleasedReview,
  decisions: readonly ReleaseDecision[],
  why?: string,
): Promise<ReleaseReport> {
  const { byRule } = await review.byRule.rules.approvals()
  return { decisions, approved: [...byRule.keys()], ...defined({ stopped: why }) }
}

/** @throws EscrowError `policy_invalid` if policy cannot be read */
function rulesOf({ policyFile }: Pick<ReviewedSession, 'policyFile'>): ReleaseRules | undefined {
  const state = policyFile()
  if (!state.ok) throw new EscrowError('policy_invalid', state.message)
  return state.rules.settings.release
}

/** Whether nobody has decided on a change, not even on a part of it, and the tier releases it. */
function pendingFor(
  changes: readonly Change[],
  decisions: readonly ReleaseDecision[],
  tier: ReleaseTier,
): (at: number) => boolean {
  return (at) => {
    const { state, hunks = [] } = changes[at] ?? {}
    const isPending = state === 'pending' && hunks.every((hunk) => hunk.state === 'pending')
    return isPending && decisions[at]?.tier === tier.name
  }
}

/** Withdraws approvals that the rules would not give today. Returns whether there were any. */
async function withdrawOutdated(
  review: ReleasedReview,
  decisions: readonly ReleaseDecision[],
  digest: string,
): Promise<boolean> {
  const { byRule } = await review.byRule.rules.approvals()
  const tiers = new Map(decisions.map(({ path, tier }) => [path, tier]))
  const outdated = [...byRule].filter(([path, { rule }]) => rule?.policy !== digest || tiers.get(path) !== rule?.tier)
  if (outdated.length === 0) return false
  const { id } = await review.withdraw(
    outdated.map(([path]) => path),
    BY_POLICY,
  )
  return id !== ''
}

function endOfHold({ at, rule }: Verdict, tiers: ReadonlyMap<string, ReleaseTier>): number {
  const minutes = tiers.get(rule?.tier ?? '')?.hold
  return minutes === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(at) + minutes * 60_000
}

interface Needed {
  readonly approved: readonly (readonly [path: string, verdict: Verdict])[]
  readonly tierOf: ReadonlyMap<string, ReleaseTier>
  readonly tree: string
  readonly isHeld: boolean
}

interface Checked {
  readonly problem?: string
  /** The checks saw other changes. */
  readonly isOther?: true
  readonly evidence?: readonly string[]
}

/**
 * The evidence that the checks which the tiers need are green, or the problem. Each commit has runs of its own: earlier
 * evidence is about the same changes, but perhaps on another disk, and an agent can run a check until it is green by
 * luck. Earlier evidence is enough only while a tier delays the commit.
 */
async function checksOf(
  review: ReleasedReview,
  { changes, options }: Run,
  { approved, tierOf, tree, isHeld }: Needed,
): Promise<Checked> {
  const needing = approved.filter(([, { rule }]) => tierOf.get(rule?.tier ?? '')?.requires.includes('checks') !== false)
  if (needing.length === 0) return {}
  const paths = new Set(needing.map(([path]) => path))
  const intents = new Set(changes.flatMap(({ path, intentId }) => (paths.has(path) ? [intentId ?? ''] : [])))
  let report = await review.checks('approved')
  const covers = (id: string) => report.checks.some(({ intentId }) => intentId === id)
  const bare = [...intents].find((id) => !covers(id))
  if (bare !== undefined) return { problem: `No check of ${bare === '' ? 'any intent' : bare} covers these changes.` }
  if (!isHeld || !isGreen(report)) {
    const { signal, onOutput } = options
    report = await review.check({ selection: 'approved', by: BY_POLICY, ...defined({ signal, onOutput }) })
  }
  if (report.tree !== tree) return { isOther: true }
  if (isGreen(report)) return { evidence: report.checks.flatMap(({ evidence }) => evidence?.id ?? []) }
  const failed = report.checks
    .filter(({ state }) => state !== 'passed')
    .map(({ check, state }) => `${check.run}: ${state}`)
  return { problem: `A check is not green: ${failed.join(', ')}.` }
}

function isGreen({ checks }: CheckReport): boolean {
  return checks.length > 0 && checks.every(({ state }) => state === 'passed')
}
