import type { Explanation, GateSettings } from '../core/api.js'
import type { Access, Decide, Decision } from '../core/decision.js'
import { defined } from '../core/defined.js'
import type { Denial } from '../core/denials.js'
import type { IntentsState } from '../core/intents-state.js'
import type { ToolContext } from '../core/tool-context.js'
import { denialCache, type ScopeCache, scopeCache } from './caches.js'
import { explainBy } from './explain.js'
import { freePathsOf } from './free-paths.js'
import { ruleFailed, staleFile, unreadFile } from './messages.js'
import type { PolicyState } from './policy-file.js'
import { type OutsidePlace, tablesOf } from './policy-read.js'
import { protection } from './protected.js'
import { readingsOf } from './readings.js'
import {
  type AskAnswers,
  intentDenial,
  mayHoldInternals,
  type PolicyContext,
  READ_RULES,
  type Rule,
  WRITE_RULES,
} from './rules.js'
import { DEFAULT_SETTINGS, type Settings } from './settings.js'

export interface PolicyDeps {
  readonly intents: () => IntentsState
  readonly activeIntentId: () => string | undefined
  readonly policy: () => PolicyState
  /** The content lock, checked last: whether the disk still has the content on which this session's write is based. */
  readonly base: (path: string) => BaseState
  readonly tool?: () => ToolContext | undefined
  /** People's answers to writes that `ask` rules refused. */
  readonly answers?: () => AskAnswers
  /** A clock in milliseconds. */
  readonly now?: () => number
}

/** `unread`: the disk has a file there that the model has not read in this session. */
export type BaseState = 'fresh' | 'stale' | 'unread'

export interface Policy {
  /**
   * Decides one access: the first denial of a rule applies, and a rule that throws denies with `policy_invalid`. Never throws, never
   * waits.
   */
  readonly decide: Decide
  /** The denial of any call that needs an intent, whatever paths it touches. Never throws. */
  denialWithoutPath(): Denial | undefined
  /** A token for the policy that reads use at a time (milliseconds): equal tokens give equal decisions for the same read. */
  readRevision(at: number): unknown
  /** The settings of policy.yaml; undefined while it is invalid. At most a millisecond old. */
  settings(): Settings | undefined
  /** The settings for tool calls that come by hooks; the defaults while policy.yaml is invalid. */
  gate(): GateSettings
  /** The verdict of each rule, up to the first denial. */
  explain(access: Access): Explanation
  /**
   * Flags of a path for the reviewer: `protected`, `highlight` (it runs, or decides what runs), `out-of-scope`.
   * @param intentId the intent whose scope applies; the active one by default. Without either, scope is not checked.
   */
  flags(path: string, intentId?: string): string[]
  /** False if no name in a directory can be hidden, so that a listing need not check each. */
  mayHide(dir: string): boolean
  /** The rules for paths outside the workspace; undefined while policy.yaml is invalid. */
  outside(): readonly OutsidePlace[] | undefined
  /** False if every path of the workspace may be read, except escrowfs's own files. */
  mayClose(): boolean
  /** True only if every write below a directory gets the decision of the directory itself, protected and secret names aside. */
  isUniformBelow(dir: string): boolean
}

/** Reads may use a policy state of this age, because a `stat` would double their cost. Writes always use the current one. */
const READ_GRACE_MS = 1

const ALLOW: Decision = { verdict: 'allow' }
const STAGE: Decision = { verdict: 'stage' }

export function createPolicy(deps: PolicyDeps): Policy {
  const scopes = scopeCache()
  const lock: Rule = { name: 'content lock', judge: (access, { policy }) => contentLock(deps, access, policy) }
  const writeRules = [...WRITE_RULES, lock]
  const now = deps.now ?? (() => performance.now())
  const policyAt = policyForReads(deps)
  const denyRead = readJudge(() => policyAt(now()))
  const denyWrite = writeJudge(deps, scopes)

  function decide(access: Access): Decision {
    const isRead = access.effect === 'read'
    try {
      const denial = isRead ? denyRead(access) : denyWrite(access)
      if (denial) return { verdict: 'deny', denial: withContext(deps, denial) }
      return isRead ? ALLOW : STAGE
    } catch (error) {
      return { verdict: 'deny', denial: ruleFailed(access.asked, error) }
    }
  }

  function denialWithoutPath(): Denial | undefined {
    const [policy, intents] = [deps.policy(), deps.intents()]
    if (!policy.ok) return withContext(deps, { reason: 'policy_invalid', message: policy.message })
    const denial = intentDenial(intents, deps.activeIntentId())
    return denial && withContext(deps, denial)
  }

  function explain(access: Access): Explanation {
    if (access.effect === 'read') return explainBy(READ_RULES, access, () => readContext(deps.policy()))
    return explainBy(writeRules, access, () => contextOf(deps, scopes, access))
  }

  function flags(path: string, intentId = deps.activeIntentId()): string[] {
    const level = protection(path)?.level
    const policy = deps.policy()
    const cached =
      (level !== undefined && level !== 'highlight') ||
      (policy.ok && tablesOf(policy.rules).some((rules) => rules.protected.find(path)))
    const scope = scopes(deps.intents(), intentId)
    const isFree = (name: string) => freePathsOf(deps.intents()).has(name, false)
    return [
      ...(cached ? ['protected'] : level === undefined ? [] : [level]),
      ...(scope && readingsOf(path).some((name) => !scope.matches(name) && !isFree(name)) ? ['out-of-scope'] : []),
    ]
  }

  function mayHide(dir: string): boolean {
    const policy = policyAt(now())
    return !policy.ok || policy.rules.hides || mayHoldInternals(dir)
  }

  function outside(): readonly OutsidePlace[] | undefined {
    const policy = policyAt(now())
    return policy.ok ? policy.rules.outside.places() : undefined
  }

  function mayClose(): boolean {
    const policy = policyAt(now())
    return !policy.ok || policy.rules.closes
  }

  function isUniformBelow(dir: string): boolean {
    const policy = deps.policy()
    // Answers to an `ask` rule are for single paths.
    if (!policy.ok) return false
    const mayDiffer = tablesOf(policy.rules).some(
      ({ access, protected: kept }) =>
        access.find(dir)?.value === 'ask' || access.mayDifferBelow(dir) || kept.mayDifferBelow(dir),
    )
    if (mayDiffer) return false
    return scopes(deps.intents(), deps.activeIntentId())?.holdsBelow(dir) === true
  }

  function settings(): Settings | undefined {
    const policy = policyAt(now())
    return policy.ok ? policy.rules.settings : undefined
  }

  const gate = () => (settings() ?? DEFAULT_SETTINGS).gate

  return {
    decide,
    gate,
    denialWithoutPath,
    readRevision: policyAt,
    settings,
    explain,
    flags,
    mayHide,
    outside,
    mayClose,
    isUniformBelow,
  }
}

/** The policy file for reads. */
function policyForReads(deps: PolicyDeps): (at: number) => PolicyState {
  let since = 0
  let seen: PolicyState | undefined
  return (at) => {
    if (seen && at - since < READ_GRACE_MS) return seen
    since = at
    seen = deps.policy()
    return seen
  }
}

function readJudge(policyNow: () => PolicyState): (access: Access) => Denial | undefined {
  const cached = denialCache()
  return (access) => {
    const policy = policyNow()
    return cached(access, [policy], () => firstDenial(READ_RULES, access, readContext(policy)))
  }
}

function writeJudge(deps: PolicyDeps, scopes: ScopeCache): (access: Access) => Denial | undefined {
  const cached = denialCache()
  return (access) => {
    const context = contextOf(deps, scopes, access)
    const { policy, intents, activeId, lenientMkdir, answers } = context
    const judge = () => firstDenial(WRITE_RULES, access, context)
    const denial = cached(access, [policy, intents, activeId, lenientMkdir, answers], judge)
    return denial ?? contentLock(deps, access, policy)
  }
}

function contextOf(deps: PolicyDeps, scopes: ScopeCache, access: Access): PolicyContext {
  const intents = deps.intents()
  const activeId = deps.activeIntentId()
  const lenientMkdir = access.effect === 'mkdir' && deps.tool?.()?.host === 'roo'
  return {
    policy: deps.policy(),
    intents,
    activeId,
    scope: scopes(intents, activeId),
    lenientMkdir,
    answers: deps.answers?.(),
  }
}

const NO_INTENTS: IntentsState = { ok: true, version: 0, intents: new Map() }

/** Read rules depend on the policy alone. */
function readContext(policy: PolicyState): PolicyContext {
  return { policy, intents: NO_INTENTS, activeId: undefined, scope: undefined, lenientMkdir: false }
}

function contentLock(deps: PolicyDeps, { effect, path, asked }: Access, policy: PolicyState): Denial | undefined {
  if (effect === 'mkdir') return undefined
  const base = deps.base(path)
  if (base === 'stale') return staleFile(asked)
  const mustBeRead = effect === 'put' && policy.ok && policy.rules.settings.requireRead
  return base === 'unread' && mustBeRead ? unreadFile(asked) : undefined
}

function firstDenial(rules: readonly Rule[], access: Access, context: PolicyContext): Denial | undefined {
  for (const rule of rules) {
    const denial = rule.judge(access, context)
    if (denial) return denial
  }
  return undefined
}

function withContext(deps: PolicyDeps, denial: Denial): Denial {
  const tool = deps.tool?.()?.tool
  const intentId = denial.intentId ?? deps.activeIntentId()
  return { ...denial, ...defined({ tool, intentId }) }
}
