import { sha256hex } from '../../overlay/index.js'
import type { Change } from '../core/api.js'
import type {
  ReleaseClass,
  ReleaseDecision,
  ReleaseRequirement,
  ReleaseRules,
  ReleaseTier,
} from '../core/release-api.js'
import { compileScope, protection, type Scope, secretName } from '../policy/index.js'
import { runsCode } from '../risk/index.js'
import { classesOf } from './classes.js'

interface Tier {
  readonly tier: ReleaseTier
  readonly scope: Scope
}

/**
 * Decides for each change of a set which tier releases it. The first tier whose paths and classes fit a change is the only one that can.
 * A tier whose budget its changes exceed together releases none of them.
 * @param rules undefined if policy has none: then nothing is released
 * @param changes with their risk and measured class
 */
export function decideRelease(rules: ReleaseRules | undefined, changes: readonly Change[]): ReleaseDecision[] {
  const tiers = (rules?.tiers ?? []).map((tier) => ({ tier, scope: compileScope(tier.paths) }))
  // A `!` glob excludes every spelling of a name if the disk ignores case.
  const allowed = compileScope(['**', ...(rules?.never ?? []).map((glob) => `!${glob}`)])
  const isShared = sharedPaths(changes)
  const decided = changes.map((change) =>
    isShared(change)
      ? { change, tier: undefined, reasons: ['another change is at the same path'] }
      : { change, ...decideOne(change, tiers, allowed) },
  )
  const budgets = new Map(tiers.map(({ tier }) => [tier, budgetReasons(tier, membersOf(tier, decided))]))
  return decided.map(({ change: { path, risk }, tier, reasons }) => {
    const all = tier === undefined || reasons.length > 0 ? reasons : (budgets.get(tier) ?? [])
    return {
      path,
      ...(all.length === 0 && tier !== undefined && { tier: tier.name }),
      reasons: all,
      ...(risk !== undefined && { risk }),
    }
  })
}

/** Whether a path of a change is also one of another change: an approval of the path would apply to both. */
function sharedPaths(changes: readonly Change[]): (change: Change) => boolean {
  const counts = new Map<string, number>()
  for (const change of changes) for (const path of pathsOf(change)) counts.set(path, (counts.get(path) ?? 0) + 1)
  return (change) => pathsOf(change).some((path) => (counts.get(path) ?? 0) > 1)
}

function pathsOf({ path, from }: Change): string[] {
  return from === undefined || from === path ? [path] : [path, from]
}

function membersOf(tier: ReleaseTier, decided: readonly (Decided & { readonly change: Change })[]): Change[] {
  return decided.flatMap((each) => (each.tier === tier && each.reasons.length === 0 ? [each.change] : []))
}

/** A digest of the rules, by which an approval says which rules gave it. */
export function rulesDigest(rules: ReleaseRules): string {
  return `sha256:${sha256hex(JSON.stringify(rules))}`
}

interface Decided {
  readonly tier: ReleaseTier | undefined
  readonly reasons: readonly string[]
}

function decideOne(change: Change, tiers: readonly Tier[], allowed: Scope): Decided {
  const barred = barredReasons(change, allowed)
  if (barred.length > 0) return { tier: undefined, reasons: barred }
  const classes = classesOf(change)
  const paths = pathsOf(change)
  const inPath = tiers.filter(({ scope }) => paths.every((path) => scope.matches(path)))
  const found = inPath.find(({ tier }) => tier.classes.some((each) => classes.has(each)))
  if (found !== undefined) return { tier: found.tier, reasons: requirementReasons(found.tier, change) }
  if (tiers.length === 0) return { tier: undefined, reasons: ['policy.yaml has no tier under `approval.auto`'] }
  if (inPath.length === 0) return { tier: undefined, reasons: ['no tier is for this path'] }
  return { tier: undefined, reasons: [`no tier is for ${describe(classes, change)}`] }
}

function describe(classes: ReadonlySet<ReleaseClass>, { kind, mutation }: Change): string {
  const narrow = [...classes].filter((name) => name !== 'any')
  if (narrow.length > 0) return `a change of the class ${narrow.join(' or ')}`
  if (classes.size > 0) return 'new behaviour or data, which only the class any includes'
  if (kind !== 'modify' && kind !== 'create') return `a change of the kind ${kind}`
  if (kind === 'create' || mutation?.class === 'INTENT_EVOLUTION')
    return 'new behaviour or data in a file other than JavaScript and TypeScript'
  return `a change whose class is not proven${mutation === undefined ? '' : ` (${mutation.detail})`}`
}

/** Reasons that no tier can override. */
function barredReasons(change: Change, allowed: Scope): string[] {
  const paths = pathsOf(change)
  return [
    ...paths.flatMap((path) => neverReason(path, allowed) ?? []),
    ...(changesMode(change) ? ['its permissions change'] : []),
    ...change.flags.map((flag) => `it is marked ${flag}`),
    ...(change.risk === undefined ? ['its facts are not known'] : []),
    ...(change.risk?.facts ?? [])
      .filter(({ severity }) => severity !== 'note')
      .map(({ sentence, line, oldLine }) => `${sentence}${placeOf(line ?? oldLine)}`),
  ]
}

function changesMode({ mode }: Change): boolean {
  if (mode === undefined || mode.after === null) return false
  return mode.before === null ? ((mode.after ?? 0) & 0o111) !== 0 : mode.after !== mode.before
}

function placeOf(line: number | undefined): string {
  return line === undefined ? '' : ` (line ${line})`
}

function neverReason(path: string, allowed: Scope): string | undefined {
  if (!allowed.matches(path)) return `${path} is under \`approval.auto.never\``
  const found = protection(path)
  if (found !== undefined && found.level !== 'highlight') return `${path} is protected: ${found.why}`
  if (path.split('/').some((name) => secretName(name))) return `${path} has the name of a secret`
  const what = runsCode(path) ?? runsCode(path.toLowerCase())
  return what === undefined ? undefined : `${path} ${what}`
}

const BLOCKS: Readonly<Record<Exclude<ReleaseRequirement, 'checks'>, (change: Change) => string | undefined>> = {
  no_dependency: ({ risk }) => risk?.facts.find(({ name }) => /^(?:dependency|lock|registry)-/.test(name))?.sentence,
  no_mode: (change) => (changesMode(change) ? 'its permissions change' : undefined),
  no_link: ({ kind, flags }) => (kind === 'link' || flags.includes('symlink') ? 'it is a link' : undefined),
  no_binary: ({ hunks }) => (hunks.length === 0 ? 'it has no lines to read' : undefined),
}

function requirementReasons(tier: ReleaseTier, change: Change): string[] {
  return tier.requires.flatMap((each) => (each === 'checks' ? [] : (BLOCKS[each](change) ?? [])))
}

function budgetReasons(tier: ReleaseTier, members: readonly Change[]): string[] {
  const lines = members.reduce(
    (sum, { hunks }) => sum + hunks.reduce((count, { text }) => count + changedLines(text), 0),
    0,
  )
  return [
    ...(members.length > tier.maxFiles
      ? [`the tier ${tier.name} releases ${tier.maxFiles} files at most, not ${members.length}`]
      : []),
    ...(lines > tier.maxLines ? [`the tier ${tier.name} releases ${tier.maxLines} lines at most, not ${lines}`] : []),
  ]
}

/** The characters that count as one line: a whole program fits into one without a line break. */
const LINE = 200

function changedLines(hunk: string): number {
  const changed = hunk
    .split('\n')
    .slice(1)
    .filter((line) => line.startsWith('+') || line.startsWith('-'))
  return changed.reduce((count, line) => count + linesIn(line), 0)
}

/** JavaScript ends lines at more than a line feed. */
function linesIn(line: string): number {
  const parts = line.split(/\r(?!$)|[\u2028\u2029]/)
  return parts.reduce((count, part) => count + Math.max(1, Math.ceil(part.length / LINE)), 0)
}
