import { isAbsolute } from 'node:path'
import { type Access, isOutside } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { INIT_HINT, type IntentsState, selectable, selectableIds } from '../core/intents-state.js'
import { ORCHESTRATION, PRIVATE_NAMES } from '../core/layout.js'
import { isInState } from '../os/state-dir.js'
import type { AskAnswer } from './ask-answer.js'
import { freePathsOf } from './free-paths.js'
import { isAmbiguous, linkAcrossRules, linkTargets } from './link-rules.js'
import * as denials from './messages.js'
import { POLICY_FILE, type PolicyState } from './policy-file.js'
import { type PolicyRules, tablesOf } from './policy-read.js'
import { foldSegment, protection } from './protected.js'
import { readingsOf } from './readings.js'
import type { Scope } from './scope.js'
import { ordinaryBeside, secretIn } from './secrets.js'

/** The inputs of a rule other than the access. */
export interface PolicyContext {
  readonly policy: PolicyState
  readonly intents: IntentsState
  readonly activeId: string | undefined
  /** The scope of the active intent; undefined without one. */
  readonly scope: Scope | undefined
  /** Roo Code's dispatcher locks up when a mkdir throws, so there a directory is not denied for scope. */
  readonly lenientMkdir: boolean
  readonly answers?: AskAnswers | undefined
}

/** People's answers so far. A new answer makes a new object. */
export interface AskAnswers {
  of(path: string): AskAnswer | undefined
  /** Whether an allowed path lies below a directory, which may then be created. */
  allowsBelow(dir: string): boolean
}

export interface Rule {
  readonly name: string
  /** The denial, or undefined to continue with the next rule. */
  judge(access: Access, context: PolicyContext): Denial | undefined
  /** The entry of a person's file that the rule applies, as `file:line`. */
  source?(access: Access, context: PolicyContext): string | undefined
}

/** In order: the first denial applies, and a write that no rule denies is staged. */
export const WRITE_RULES: readonly Rule[] = [
  { name: 'containment', judge: containment },
  { name: 'protected', judge: protectedNames },
  { name: 'policy file', judge: policyValid },
  { name: 'intents file', judge: registryValid },
  { name: 'access', judge: writeAccess, source: ruleSource },
  { name: 'secrets', judge: secrets },
  { name: 'intent', judge: activeIntent, source: intentSource },
  { name: 'scope', judge: inScope, source: intentSource },
]

/** A read needs no intent. */
export const READ_RULES: readonly Rule[] = [
  { name: 'internals', judge: internals },
  { name: 'policy file', judge: policyReadable },
  { name: 'access', judge: readAccess, source: ruleSource },
  { name: 'secrets', judge: secrets },
]

/** Checked again when a staged change is committed. */
export const COMMIT_RULES: readonly Rule[] = [
  { name: 'containment', judge: containment },
  { name: 'protected', judge: protectedNames },
  { name: 'policy file', judge: policyValid },
  { name: 'intents file', judge: registryValid },
  { name: 'access', judge: commitAccess },
  { name: 'scope', judge: inScope },
]

/**
 * Every name of the accessed file, in every interpretation: the requested, the resolved, and the target of a new hard
 * link.
 */
function namesOf(access: Access): readonly string[] {
  const { effect, asked, path, target } = access
  const names = asked === path ? [path] : [asked, path]
  const all = effect === 'link' && target !== undefined ? [...names, target] : names
  return all.some((name) => name.includes('\\')) ? all.flatMap(readingsOf) : all
}

function first<T>(items: readonly T[], judge: (item: T) => Denial | undefined): Denial | undefined {
  for (const item of items) {
    const denial = judge(item)
    if (denial) return denial
  }
  return undefined
}

function containment(access: Access): Denial | undefined {
  const { asked, path, target, written } = access
  if ([asked, path].flatMap(readingsOf).some(isOutside)) return denials.pathEscape(access)
  if (target !== undefined && readingsOf(target).some(isOutside)) return denials.targetEscape(asked, target)
  return written !== undefined && isAmbiguous(written) ? denials.ambiguousTarget(asked, written) : undefined
}

function protectedNames(access: Access, { scope, lenientMkdir }: PolicyContext): Denial | undefined {
  // A symlink to the root is not denied by itself: paths through it are checked when they are used.
  const targets = linkTargets(access).filter((target) => target !== '')
  return first([...namesOf(access), ...targets], (name) => {
    const found = protection(name)
    if (!found || found.level === 'highlight') return undefined
    if (found.level === 'literal') {
      const leads = access.effect === 'mkdir' && (lenientMkdir || scope?.leadsTo(name, found.segments))
      if (leads || scope?.names(name, found.segments)) return undefined
    }
    return denials.protectedPath(access.asked, name, found.why, found.level === 'literal')
  })
}

function policyValid({ asked }: Access, { policy }: PolicyContext): Denial | undefined {
  return policy.ok ? undefined : { reason: 'policy_invalid', file: asked, message: policy.message }
}

function registryValid({ asked }: Access, { intents }: PolicyContext): Denial | undefined {
  if (intents.ok || intents.reason === 'no_orchestration') return undefined
  return { reason: 'policy_invalid', file: asked, message: intents.message }
}

function policyReadable({ asked }: Access, { policy }: PolicyContext): Denial | undefined {
  return rulesForReads(policy) ? undefined : { reason: 'policy_invalid', file: asked, message: policyMessage(policy) }
}

const policyMessage = (policy: PolicyState): string => (policy.ok ? '' : policy.message)

function rulesForReads(policy: PolicyState): PolicyRules | undefined {
  return policy.ok ? policy.rules : policy.readRules
}

/** Hides escrowfs's working files and the state directory. The person's own files there, and the ledger, may be read. */
function internals(access: Access): Denial | undefined {
  return first(namesOf(access), (name) => {
    if (isAbsolute(name)) return isInState(name) ? denials.hidden(access.asked) : undefined
    // Folding costs more than the rest of the decision, so only names that could fold to our directory are folded.
    if (!mayHoldInternals(name)) return undefined
    const [top = '', second = ''] = name.split('/').map(foldSegment)
    return (top === ORCHESTRATION || /^orches~\d/.test(top)) && PRIVATE.has(second)
      ? denials.hidden(access.asked)
      : undefined
  })
}

/** Whether a name could fold to `.orchestration`. */
export function mayHoldInternals(dir: string): boolean {
  return /^\W*[oO]/.test(dir) || /[^\0-\x7f]/.test(dir)
}

const PRIVATE: ReadonlySet<string> = new Set(PRIVATE_NAMES)

function readAccess(access: Access, { policy }: PolicyContext): Denial | undefined {
  return first(tablesOf(rulesForReads(policy)), (rules) => judgeAccess(access, rules, CLOSED_TO_READS))
}

const CLOSED_TO_READS: ReadonlySet<string> = new Set(['deny', 'hidden'])

/** A secret is closed unless a person's rule names it, or a path in it. */
function secrets(access: Access, { policy }: PolicyContext): Denial | undefined {
  const tables = tablesOf(rulesForReads(policy))
  return first([...namesOf(access), ...linkTargets(access)], (name) => {
    const found = secretIn(name)
    if (!found) return undefined
    const isNamed = tables.every((rules) => {
      const table = isOutside(name) ? rules.outside : rules.access
      const rule = table.find(name)
      return rule && !ordinaryBeside(found.path).some((other) => table.covers(rule, other))
    })
    return isNamed && tables.length > 0 ? undefined : denials.secret(access.asked, found)
  })
}

const CLOSED_TO_WRITES: ReadonlySet<string> = new Set(['deny', 'hidden', 'read-only', 'ask'])

function writeAccess(access: Access, { policy, answers }: PolicyContext): Denial | undefined {
  return first(
    tablesOf(rulesForReads(policy)),
    (rules) =>
      customProtection(access, rules) ??
      judgeAccess(access, rules, CLOSED_TO_WRITES, answers) ??
      linkAcrossRules(access, rules, CLOSED_TO_WRITES),
  )
}

function customProtection(access: Access, rules: PolicyRules): Denial | undefined {
  return first([...namesOf(access), ...linkTargets(access)], (name) => {
    const rule = rules.protected.find(name)
    return (
      rule && denials.protectedPath(access.asked, name, `the rule \`${rule.key}\` in policy.yaml protects it`, false)
    )
  })
}

/** At a commit, the person may see hidden paths, and has answered `ask` rules by approving. */
function commitAccess(access: Access, { policy }: PolicyContext): Denial | undefined {
  return first(tablesOf(rulesForReads(policy)), (rules) => {
    const refused = first([...namesOf(access), ...linkTargets(access)], (name) => {
      const rule = rules.access.find(name)
      return rule && CLOSED_TO_COMMITS.has(rule.value)
        ? denials.accessDenied(access.asked, name, rule, 'access')
        : undefined
    })
    return customProtection(access, rules) ?? refused ?? linkAcrossRules(access, rules, CLOSED_TO_COMMITS)
  })
}

const CLOSED_TO_COMMITS: ReadonlySet<string> = new Set(['deny', 'hidden', 'read-only'])

function judgeAccess(
  access: Access,
  rules: PolicyRules,
  refused: ReadonlySet<string>,
  answers?: AskAnswers,
): Denial | undefined {
  return first([...namesOf(access), ...linkTargets(access)], (name) => {
    const outside = isOutside(name)
    const rule = outside ? rules.outside.find(name) : rules.access.find(name)
    if (!rule || !refused.has(rule.value)) return undefined
    if (rule.value === 'hidden') return denials.hidden(access.asked)
    const answer = rule.value === 'ask' ? answers?.of(name) : undefined
    if (answer) return answer.answer === 'deny' ? denials.askRefused(access.asked, name, answer) : undefined
    if (rule.value === 'ask' && access.effect === 'mkdir' && answers?.allowsBelow(name)) return undefined
    return denials.accessDenied(access.asked, name, rule, outside ? 'outside' : 'access')
  })
}

/** Whether `.intentignore` frees every name from intent and scope. */
function isFree(names: readonly string[], { intents }: PolicyContext, isDirectory: boolean): boolean {
  const free = freePathsOf(intents)
  return names.every((name) => free.has(name, isDirectory))
}

function activeIntent(access: Access, context: PolicyContext): Denial | undefined {
  const { asked } = access
  const { intents, activeId, lenientMkdir } = context
  if (lenientMkdir || isFree([...namesOf(access), ...linkTargets(access)], context, access.effect === 'mkdir'))
    return undefined
  const denial = intentDenial(intents, activeId)
  return denial && { ...denial, file: asked }
}

/** The denial of any change under the active intent; undefined if the intent is selectable. */
export function intentDenial(intents: IntentsState, activeId: string | undefined): Denial | undefined {
  return activeId === undefined ? denials.missingIntent(selectHint(intents)) : selectable(intents, activeId)
}

function selectHint(intents: IntentsState): string {
  if (!intents.ok) return INIT_HINT
  const { activeIntentId: named } = intents
  const denial = named === undefined ? undefined : selectable(intents, named)
  if (denial) return `The registry's active_intent_id is ${named}. ${denial.message}`
  const ids = selectableIds(intents)
  return ids.length === 0
    ? 'No intent can be selected. Ask a person to declare one with `escrow intents add`.'
    : `Intents: ${ids.join(', ')}.`
}

function inScope(access: Access, context: PolicyContext): Denial | undefined {
  const { activeId, scope, lenientMkdir } = context
  if (lenientMkdir) return undefined
  const names = namesOf(access)
  const isDirectory = access.effect === 'mkdir'
  if (isFree(names, context, isDirectory)) return linkInScope(access, context)
  const denial = first(names, (name) => {
    if (scope?.matches(name) || (isDirectory && scope?.leadsTo(name))) return undefined
    return denials.scopeViolation(activeId ?? '', name)
  })
  return denial ?? linkInScope(access, context)
}

/** A link is another name for its target, so the scope must cover the target, and for a directory everything below it. */
function linkInScope(access: Access, context: PolicyContext): Denial | undefined {
  const { activeId, scope } = context
  const { asked, toFile = false } = access
  return first(linkTargets(access), (target) => {
    if (isFree([target], context, !toFile)) return undefined
    const isWithin = toFile ? scope?.matches(target) : scope?.holdsBelow(target)
    return isWithin ? undefined : denials.linkOutOfScope(activeId ?? '', asked, target)
  })
}

/** The rule of policy.yaml that applies to the path. */
function ruleSource({ path }: Access, { policy }: PolicyContext): string | undefined {
  const rules = rulesForReads(policy)
  const found = rules?.protected.find(path) ?? (isOutside(path) ? rules?.outside.find(path) : rules?.access.find(path))
  return found?.line === undefined ? undefined : `${POLICY_FILE}:${found.line}`
}

function intentSource(_access: Access, { intents, activeId }: PolicyContext): string | undefined {
  const line = intents.ok && activeId !== undefined ? intents.lines?.get(activeId) : undefined
  return line === undefined ? undefined : `${ORCHESTRATION}/active_intents.yaml:${line}`
}
