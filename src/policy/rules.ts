import { isAbsolute } from 'node:path'
import type { Access } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { INIT_HINT, type IntentsState, selectable, selectableIds } from '../core/intents-state.js'
import { ORCHESTRATION, PRIVATE_NAMES } from '../core/layout.js'
import { isInState } from '../host/state-dir.js'
import { freePathsOf } from './free-paths.js'
import * as say from './messages.js'
import { POLICY_FILE, type PolicyState } from './policy-file.js'
import { type PolicyRules, tablesOf } from './policy-read.js'
import { foldSegment, protection } from './protected.js'
import type { Scope } from './scope.js'
import { secretIn } from './secrets.js'

/** All a rule may look at beside the access itself. */
export interface Moment {
  readonly policy: PolicyState
  readonly intents: IntentsState
  readonly activeId: string | undefined
  /** Of the active intent; undefined without one. */
  readonly scope: Scope | undefined
  /** Roo Code's dispatcher locks up when a mkdir throws: there a directory is not denied for want of scope. */
  readonly lenientMkdir: boolean
  readonly answers?: AskAnswers | undefined
}

/** What a person said to a write that an `ask` rule refused. */
export interface AskAnswer {
  readonly answer: 'allow' | 'once' | 'subtree' | 'deny'
  readonly words?: string | undefined
  readonly by: { readonly name: string }
}

/** What people said so far; another object when something of it has changed. */
export interface AskAnswers {
  of(path: string): AskAnswer | undefined
  /** Whether what they let be written stands below a directory: for its sake the directory may be made. */
  leadTo(dir: string): boolean
}

export interface Rule {
  readonly name: string
  /** The denial, or undefined to let the next rule speak. */
  judge(access: Access, moment: Moment): Denial | undefined
  /** What a person wrote that it goes by, as `file:line`. */
  source?(access: Access, moment: Moment): string | undefined
}

/** In order; the first denial stands, and a write no rule denies is staged. */
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
  { name: 'policy file', judge: readable },
  { name: 'access', judge: readAccess, source: ruleSource },
  { name: 'secrets', judge: secrets },
]

/** What must hold still when a staged change is committed. */
export const COMMIT_RULES: readonly Rule[] = [
  { name: 'containment', judge: containment },
  { name: 'protected', judge: protectedNames },
  { name: 'policy file', judge: policyValid },
  { name: 'intents file', judge: registryValid },
  { name: 'access', judge: commitAccess },
  { name: 'scope', judge: inScope },
]

function isOutside(path: string): boolean {
  return isAbsolute(path) || path === '..' || path.startsWith('../')
}

/** Every name the access goes by: as asked, as resolved, and what a second name would be one for. */
function namesOf({ effect, asked, path, target }: Access): string[] {
  const names = asked === path ? [path] : [asked, path]
  return effect === 'link' && target !== undefined ? [...names, target] : names
}

function first<T>(items: readonly T[], judge: (item: T) => Denial | undefined): Denial | undefined {
  for (const item of items) {
    const denial = judge(item)
    if (denial) return denial
  }
  return undefined
}

function containment(access: Access): Denial | undefined {
  const { asked, path, target } = access
  if (isOutside(asked) || isOutside(path)) return say.pathEscape(access)
  return target !== undefined && isOutside(target) ? say.targetEscape(asked, target) : undefined
}

function protectedNames(access: Access, { scope, lenientMkdir }: Moment): Denial | undefined {
  return first([...namesOf(access), ...pointsTo(access)], (name) => {
    const found = protection(name)
    if (!found || found.level === 'highlight') return undefined
    if (found.level === 'literal') {
      const leads = access.effect === 'mkdir' && (lenientMkdir || scope?.leadsTo(name, found.segments))
      if (leads || scope?.names(name, found.segments)) return undefined
    }
    return say.protectedPath(access.asked, name, found.why, found.level === 'literal')
  })
}

/** A symlink to the root gives no other names than the root has, and those are judged when they are used. */
function pointsTo({ effect, target }: Access): string[] {
  return effect === 'symlink' && target !== undefined && target !== '' ? [target] : []
}

function policyValid({ asked }: Access, { policy }: Moment): Denial | undefined {
  return policy.ok ? undefined : { reason: 'policy_invalid', file: asked, message: policy.message }
}

function registryValid({ asked }: Access, { intents }: Moment): Denial | undefined {
  if (intents.ok || intents.reason === 'no_orchestration') return undefined
  return { reason: 'policy_invalid', file: asked, message: intents.message }
}

function readable({ asked }: Access, { policy }: Moment): Denial | undefined {
  return rulesForReads(policy) ? undefined : { reason: 'policy_invalid', file: asked, message: policyMessage(policy) }
}

const policyMessage = (policy: PolicyState): string => (policy.ok ? '' : policy.message)

function rulesForReads(policy: PolicyState): PolicyRules | undefined {
  return policy.ok ? policy.rules : policy.readRules
}

/** Our own working files, and all of the state directory; what a person writes there, and the ledger, may be read. */
function internals(access: Access): Denial | undefined {
  return first(namesOf(access), (name) => {
    if (isAbsolute(name)) return isInState(name) ? say.hidden(access.asked) : undefined
    // Folding costs more than the rest of a read's decision: only for what could fold to our directory.
    if (!mayHoldInternals(name)) return undefined
    const [top = '', second = ''] = name.split('/').map(foldSegment)
    return (top === ORCHESTRATION || /^orches~\d/.test(top)) && PRIVATE.has(second)
      ? say.hidden(access.asked)
      : undefined
  })
}

/** Whether a directory's name could fold to ours. */
export function mayHoldInternals(dir: string): boolean {
  return /^\W*[oO]/.test(dir) || /[^\0-\x7f]/.test(dir)
}

const PRIVATE: ReadonlySet<string> = new Set(PRIVATE_NAMES)

function readAccess(access: Access, { policy }: Moment): Denial | undefined {
  return first(tablesOf(rulesForReads(policy)), (rules) => judgeAccess(access, rules, CLOSED_TO_READS))
}

const CLOSED_TO_READS: ReadonlySet<string> = new Set(['deny', 'hidden'])

/** What keeps secrets is closed unless a person's rule names it, or something in it. */
function secrets(access: Access, { policy }: Moment): Denial | undefined {
  const tables = tablesOf(rulesForReads(policy))
  return first(namesOf(access), (name) => {
    const found = secretIn(name)
    if (!found) return undefined
    const isNamed = tables.every((rules) => {
      const table = isOutside(name) ? rules.outside : rules.access
      const rule = table.find(name)
      // A rule for a directory above says nothing of what is in it.
      return rule && rule !== table.find(found.path.slice(0, Math.max(0, found.path.lastIndexOf('/'))))
    })
    return isNamed && tables.length > 0 ? undefined : say.secret(access.asked, found)
  })
}

const CLOSED_TO_WRITES: ReadonlySet<string> = new Set(['deny', 'hidden', 'read-only', 'ask'])

function writeAccess(access: Access, { policy, answers }: Moment): Denial | undefined {
  return first(
    tablesOf(rulesForReads(policy)),
    (rules) => personsProtection(access, rules) ?? judgeAccess(access, rules, CLOSED_TO_WRITES, answers),
  )
}

function personsProtection(access: Access, rules: PolicyRules): Denial | undefined {
  return first(namesOf(access), (name) => {
    const rule = rules.protected.find(name)
    return rule && say.protectedPath(access.asked, name, `the person's rule \`${rule.key}\` protects it`, false)
  })
}

/** The person at the commit is told of hidden paths, and has been asked already. */
function commitAccess(access: Access, { policy }: Moment): Denial | undefined {
  return first(tablesOf(rulesForReads(policy)), (rules) => {
    const rule = rules.access.find(access.path)
    const refused = rule && ['deny', 'hidden', 'read-only'].includes(rule.value)
    return (
      personsProtection(access, rules) ??
      (refused ? say.accessDenied(access.asked, access.path, rule, 'access') : undefined)
    )
  })
}

function judgeAccess(
  access: Access,
  rules: PolicyRules,
  refused: ReadonlySet<string>,
  answers?: AskAnswers,
): Denial | undefined {
  return first(namesOf(access), (name) => {
    const outside = isOutside(name)
    const rule = outside ? rules.outside.find(name) : rules.access.find(name)
    if (!rule || !refused.has(rule.value)) return undefined
    if (rule.value === 'hidden') return say.hidden(access.asked)
    const answer = rule.value === 'ask' ? answers?.of(name) : undefined
    if (answer) return answer.answer === 'deny' ? say.askRefused(access.asked, name, answer) : undefined
    if (rule.value === 'ask' && access.effect === 'mkdir' && answers?.leadTo(name)) return undefined
    return say.accessDenied(access.asked, name, rule, outside ? 'outside' : 'access')
  })
}

/** By every name of it: `.intentignore` says that such a path needs no intent, and no scope. */
function isFree(access: Access, { intents }: Moment): boolean {
  const free = freePathsOf(intents)
  return namesOf(access).every((name) => free.has(name, access.effect === 'mkdir'))
}

function activeIntent(access: Access, moment: Moment): Denial | undefined {
  const { asked } = access
  const { intents, activeId, lenientMkdir } = moment
  if (lenientMkdir || isFree(access, moment)) return undefined
  const denial = intentDenial(intents, activeId)
  return denial && { ...denial, file: asked }
}

/** Why nothing can be changed under the active intent now; undefined where it can. */
export function intentDenial(intents: IntentsState, activeId: string | undefined): Denial | undefined {
  return activeId === undefined ? say.missingIntent(selectHint(intents)) : selectable(intents, activeId)
}

function selectHint(intents: IntentsState): string {
  if (!intents.ok) return INIT_HINT
  const { activeIntentId: named } = intents
  const denial = named === undefined ? undefined : selectable(intents, named)
  if (denial) return `The registry's active_intent_id is ${named}. ${denial.message}`
  const ids = selectableIds(intents)
  return ids.length === 0 ? 'No intent can be selected: a person declares one first.' : `Intents: ${ids.join(', ')}.`
}

function inScope(access: Access, moment: Moment): Denial | undefined {
  const { activeId, scope, lenientMkdir } = moment
  if (lenientMkdir || isFree(access, moment)) return undefined
  return first(namesOf(access), (name) => {
    if (scope?.matches(name) || (access.effect === 'mkdir' && scope?.leadsTo(name))) return undefined
    return say.scopeViolation(activeId ?? '', name)
  })
}

/** The rule of policy.yaml that speaks of the path. */
function ruleSource({ path }: Access, { policy }: Moment): string | undefined {
  const rules = rulesForReads(policy)
  const found = rules?.protected.find(path) ?? (isOutside(path) ? rules?.outside.find(path) : rules?.access.find(path))
  return found?.line === undefined ? undefined : `${POLICY_FILE}:${found.line}`
}

function intentSource(_access: Access, { intents, activeId }: Moment): string | undefined {
  const line = intents.ok && activeId !== undefined ? intents.lines?.get(activeId) : undefined
  return line === undefined ? undefined : `${ORCHESTRATION}/active_intents.yaml:${line}`
}
