import type { Change, CheckReport, CommitOptions, CommitResult, Review, Verdict } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { ReleaseDecision, ReleaseOptions, ReleaseReport, ReleaseRules, ReleaseTier } from '../core/release-api.js'
import type { ReviewByRule } from '../review/index.js'
import { decideRelease, rulesDigest } from '../tiers/index.js'
import type { ReviewedSession } from './reviewed-session.js'

const BY_POLICY = { name: 'policy' }

/** What a release uses of a review. */
export interface ReleasedReview extends Pick<Review, 'changes' | 'withdraw' | 'check' | 'checks'> {
  readonly byRule: ReviewByRule
  /** @param options `evidence`: the ids of check runs, for the commit's record */
  commit(options: CommitOptions & { readonly evidence?: readonly string[] }): Promise<CommitResult>
}

/** One release by rule: decides, approves, checks and commits. See `Review.release`. */
export async function releaseByRule(
  review: ReleasedReview,
  session: Pick<ReviewedSession, 'policyFile'>,
  options: ReleaseOptions,
): Promise<ReleaseReport> {
  const rules = rulesOf(session)
  const since = review.byRule.rules.records()
  const { changes } = await review.changes({ risk: true })
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
  const disturbed = () => stopped(review, decisions, 'A reviewer recorded a verdict meanwhile. Try again.')
  if (!isAlone((await withdrawOutdated(review, decisions, digest)) ? 1 : 0)) return disturbed()
  for (const tier of rules.tiers) {
    const paths = new Set(pendingOf(changes, decisions, tier))
    if (paths.size === 0) continue
    const shown = await review.byRule.displayed(paths)
    const verdict = await review.byRule.rules.approve(shown, { tier: tier.name, policy: digest }, known)
    if (verdict === undefined || !isAlone(1)) return disturbed()
  }
  return finish(review, { session, rules, digest, decisions, changes, options })
}

interface Run {
  readonly session: Pick<ReviewedSession, 'policyFile'>
  readonly rules: ReleaseRules
  readonly digest: string
  readonly decisions: readonly ReleaseDecision[]
  readonly changes: readonly Change[]
  readonly options: ReleaseOptions
}

/** Checks and commits what rules have approved, unless a check, a person or a tier stops it. */
async function finish(review: ReleasedReview, run: Run): Promise<ReleaseReport> {
  const { rules, digest, decisions, session, options } = run
  const { byRule, byPerson } = await review.byRule.rules.approvals()
  if (byRule.size === 0) return { decisions, approved: [] }
  const tierOf = new Map(rules.tiers.map((tier) => [tier.name, tier]))
  const { problem, evidence = [] } = await checksOf(review, run, [...byRule], tierOf)
  if (problem !== undefined) {
    await review.withdraw([...byRule.keys()], BY_POLICY)
    return { decisions, approved: [], stopped: `${problem} The approvals by rule are withdrawn.` }
  }
  if (byPerson.length > 0)
    return stopped(review, decisions, "A person has approved other changes: commit all of them with 'escrow commit'.")
  const heldUntil = Math.max(...[...byRule.values()].map((verdict) => endOfHold(verdict, tierOf)))
  if (heldUntil > Date.now())
    return { ...(await stopped(review, decisions)), heldUntil: new Date(heldUntil).toISOString() }
  const now = rulesOf(session)
  if (now === undefined || rulesDigest(now) !== digest)
    return stopped(review, decisions, 'The rules have changed meanwhile. Try again.')
  try {
    const result = await review.commit({ evidence, ...defined({ signal: options.signal }) })
    const shown = evidence.length > 0 ? { evidence } : {}
    return { ...committed(result, decisions, [...byRule.keys()]), ...shown }
  } catch (error) {
    // The approvals stay: a person ticks the sentences, and the next release commits.
    if (error instanceof EscrowError && error.reason === 'unticked')
      return stopped(review, decisions, [error.message, error.hint ?? ''].join(' ').trim())
    throw error
  }
}

function committed(
  { id, seq, committed: paths }: CommitResult,
  decisions: readonly ReleaseDecision[],
  approved: readonly string[],
): ReleaseReport {
  return { decisions, approved, ...(id !== '' && { commit: { id, seq, paths: paths.toSorted() } }) }
}

async function stopped(
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

/** Changes that nobody has decided on, not even on a part of them. */
function pendingOf(changes: readonly Change[], decisions: readonly ReleaseDecision[], tier: ReleaseTier): string[] {
  return changes.flatMap(({ path, state, hunks }, index) => {
    const isPending = state === 'pending' && hunks.every((hunk) => hunk.state === 'pending')
    return isPending && decisions[index]?.tier === tier.name ? [path] : []
  })
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

/** The evidence that the checks which the tiers need are green, or the problem. Runs the checks that have not run. */
async function checksOf(
  review: ReleasedReview,
  { changes, options }: Run,
  approved: readonly (readonly [path: string, verdict: Verdict])[],
  tiers: ReadonlyMap<string, ReleaseTier>,
): Promise<{ readonly problem?: string; readonly evidence?: readonly string[] }> {
  const needing = approved.filter(([, { rule }]) => tiers.get(rule?.tier ?? '')?.requires.includes('checks') !== false)
  if (needing.length === 0) return {}
  const paths = new Set(needing.map(([path]) => path))
  const intents = new Set(changes.flatMap(({ path, intentId }) => (paths.has(path) ? [intentId ?? ''] : [])))
  let report = await review.checks('approved')
  const covers = (id: string) => report.checks.some(({ intentId }) => intentId === id)
  const bare = [...intents].find((id) => !covers(id))
  if (bare !== undefined) return { problem: `No check of ${bare === '' ? 'any intent' : bare} covers these changes.` }
  if (!isGreen(report)) {
    const { signal, onOutput } = options
    report = await review.check({ selection: 'approved', by: BY_POLICY, ...defined({ signal, onOutput }) })
  }
  if (isGreen(report)) return { evidence: report.checks.flatMap(({ evidence }) => evidence?.id ?? []) }
  const failed = report.checks
    .filter(({ state }) => state !== 'passed')
    .map(({ check, state }) => `${check.run}: ${state}`)
  return { problem: `A check is not green: ${failed.join(', ')}.` }
}

function isGreen({ checks }: CheckReport): boolean {
  return checks.length > 0 && checks.every(({ state }) => state === 'passed')
}
