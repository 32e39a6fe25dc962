import { isDeepStrictEqual } from 'node:util'
import type { Intent } from '../core/api.js'
import { ORCHESTRATION } from '../core/layout.js'
import { DEFAULT_REQUIRED } from '../core/protection.js'
import type { TrustChange } from '../core/trust-api.js'
import { linesOf, parseRegistry } from '../intents/index.js'
import { readYaml } from '../os/yaml.js'
import { describeProblem } from '../os/yaml-problem.js'
import { DEFAULT_SETTINGS } from '../policy/index.js'
import {
  describeBefore,
  isPathSection,
  isReordered,
  isStricterRule,
  type PathSection,
  type PathTable,
} from './path-rule-changes.js'

type Change = Omit<TrustChange, 'file'>

/** The values of a key, from loosest to strictest. */
const RANKS: Readonly<Record<string, readonly unknown[]>> = {
  'approval.merge': ['auto', undefined, 'manual'],
  'approval.lessons': ['auto', undefined, 'manual'],
  'approval.modal': [undefined, 'ask', 'all'],
  'approval.by': [undefined, 'any', 'person'],
  'locks.require_read': [undefined, false, true],
  'locks.strict': [undefined, false, true],
  'gate.tools': [undefined, 'destructive', 'all'],
  'gate.require_mutation_class': [undefined, false, true],
  'commit.git': [true, undefined, false],
  'commit.checklist': [undefined, 'shown', 'required'],
  claims: [undefined, 'warn', 'refuse'],
  'terminal.network': [true, 'ask', undefined, false],
  'terminal.isolation_none': [true, undefined, false],
  'terminal.classes': ['allow', undefined, 'ask', 'deny'],
}

/** Keys with a number, of which a smaller one is stricter, and the number that applies without the key. */
const COUNTS: Readonly<Record<string, number>> = {
  'limits.files': Number.POSITIVE_INFINITY,
  'limits.bytes': Number.POSITIVE_INFINITY,
  'limits.ops_per_minute': Number.POSITIVE_INFINITY,
  'gate.breaker': DEFAULT_SETTINGS.gate.breaker,
}

/** Sections that are maps with free names. */
const MAPS: ReadonlySet<string> = new Set(['access', 'outside', 'terminal.classes', 'format'])

/** Compares two versions of policy.yaml, key by key. */
export function policyChanges(before: string | undefined, after: string | undefined): Change[] {
  const [oldEntries, newEntries] = [flattenPolicy(before), flattenPolicy(after)]
  if (oldEntries === undefined || newEntries === undefined)
    return [{ effect: 'loosens', what: 'the file cannot be compared: one version is not valid YAML' }]
  const keys = [...new Set([...oldEntries.keys(), ...newEntries.keys()])]
  const changes = keys.flatMap((key): Change[] => {
    const [old, now] = [oldEntries.get(key), newEntries.get(key)]
    if (isDeepStrictEqual(old?.value, now?.value)) return []
    const { section, name } = old ?? now ?? { section: key, name: undefined }
    const label = name === undefined ? section : `${section} ${JSON.stringify(name)}`
    if (name !== undefined && isPathSection(section)) {
      const [before, after] = [tableOf(oldEntries, section), tableOf(newEntries, section)]
      const effect = byStrictness(isStricterRule(section, name, before, after))
      return [{ effect, what: describeDifference(label, describeBefore(section, name, before), now?.value) }]
    }
    const effect = policyEffect(section, old?.value, now?.value)
    return [{ effect, what: describeDifference(label, old?.value, now?.value) }]
  })
  const reordered = (['access', 'outside'] as const)
    .filter((section) => isReordered(tableOf(oldEntries, section), tableOf(newEntries, section)))
    .map((section) => loosening(`${section}: the order of globs of the same length`))
  return [...changes, ...reordered]
}

function byStrictness(isStricter: boolean): 'tightens' | 'loosens' {
  return isStricter ? 'tightens' : 'loosens'
}

/** The rules of a section that is a map. */
function tableOf(entries: ReadonlyMap<string, Entry>, section: PathSection): PathTable {
  const rules = [...entries.values()].filter((entry) => entry.section === section)
  return new Map(rules.flatMap(({ name, value }) => (name === undefined ? [] : [[name, value]])))
}

interface Entry {
  readonly section: string
  readonly name?: string
  readonly value: unknown
}

/** Maps `terminal.network` to its value; each rule of a map is an entry. */
function flattenPolicy(text: string | undefined): Map<string, Entry> | undefined {
  const value = parseYaml(text)
  if (value === undefined) return undefined
  const entries = new Map<string, Entry>()
  const walk = (section: string, child: unknown) => {
    if (isMap(child) && MAPS.has(section))
      for (const [name, each] of Object.entries(child))
        entries.set(`${section}\0${name}`, { section, name, value: each })
    else if (isMap(child))
      for (const [key, each] of Object.entries(child)) walk(section === '' ? key : `${section}.${key}`, each)
    else if (child !== null && child !== undefined) entries.set(section, { section, value: child })
  }
  walk('', value)
  return entries
}

function policyEffect(section: string, before: unknown, after: unknown): Change['effect'] {
  if (section === 'format') return after === undefined ? 'tightens' : 'runs'
  if (section === 'approval.auto.tiers') return after === undefined ? 'tightens' : 'loosens'
  if (section === 'protected' || section === 'approval.auto.never')
    return includesAll(after, before) ? 'tightens' : 'loosens'
  if (section === 'terminal.require')
    return includesAll(after ?? DEFAULT_REQUIRED, before ?? DEFAULT_REQUIRED) ? 'tightens' : 'loosens'
  if (section === 'terminal.network' && Array.isArray(before))
    return Array.isArray(after)
      ? listEffect(before, after)
      : after === false || after === undefined
        ? 'tightens'
        : 'loosens'
  if (section === 'terminal.network' && Array.isArray(after)) return before === true ? 'tightens' : 'loosens'
  if (section === 'lessons_file') return 'text'
  if (section === 'limits.undo_commits') {
    const without = DEFAULT_SETTINGS.undoCommits
    return byStrictness(isAtMost(before ?? without, after ?? without))
  }
  const without = COUNTS[section]
  if (without !== undefined) return byStrictness(isAtMost(after ?? without, before ?? without))
  const ranks = RANKS[section]
  const [oldRank, newRank] = [ranks?.indexOf(before) ?? -1, ranks?.indexOf(after) ?? -1]
  // An unknown value may mean anything.
  return oldRank >= 0 && newRank >= oldRank ? 'tightens' : 'loosens'
}

/** Hosts that a list has and the other does not loosen it. */
function listEffect(before: unknown, after: unknown): Change['effect'] {
  return includesAll(before, after) ? 'tightens' : 'loosens'
}

function includesAll(all: unknown, some: unknown): boolean {
  const [whole, part] = [all, some].map((each) => (Array.isArray(each) ? each : []))
  return (part ?? []).every((each) => (whole ?? []).includes(each))
}

function isAtMost(one: unknown, other: unknown): boolean {
  return typeof one === 'number' && typeof other === 'number' && one <= other
}

/** Compares two versions of active_intents.yaml, intent by intent. */
export function intentChanges(before: string | undefined, after: string | undefined): Change[] {
  const [was, is] = [parseIntents(before), parseIntents(after)]
  if (was === undefined || is === undefined)
    return [{ effect: 'loosens', what: 'the file cannot be compared: one version is not valid' }]
  const removed = [...was.intents.values()].filter(({ id }) => !is.intents.has(id))
  const changes = [...is.intents.values()].flatMap((intent) => intentChange(was.intents.get(intent.id), intent))
  const active =
    was.active === is.active ? [] : [loosening(describeDifference('active_intent_id', was.active, is.active))]
  return [
    ...removed.map(({ id }): Change => ({ effect: 'tightens', what: `intent ${id} is gone` })),
    ...changes,
    ...active,
  ]
}

function intentChange(before: Intent | undefined, after: Intent): Change[] {
  const { id, name, status, ownedScope } = after
  if (before === undefined)
    return [
      loosening(`new intent ${id} ${JSON.stringify(name)}, ${status}, scope ${formatGlobs(ownedScope)}`),
      // A model reads these as instructions.
      ...newTexts(`${id} constraints`, after.constraints),
      ...newTexts(`${id} acceptance criteria`, after.acceptanceCriteria),
      ...checkChanges(id, [], after.checks),
    ]
  const scope = (glob: string, isAdded: boolean): Change => ({
    effect: isAdded === glob.startsWith('!') ? 'tightens' : 'loosens',
    what: `${id} scope ${isAdded ? '+' : '-'}${glob}`,
  })
  const text = (what: string, a: unknown, b: unknown): Change[] =>
    isDeepStrictEqual(a, b) ? [] : [{ effect: 'text', what: describeDifference(`${id} ${what}`, a, b) }]
  return [
    ...ownedScope.filter((glob) => !before.ownedScope.includes(glob)).map((glob) => scope(glob, true)),
    ...before.ownedScope.filter((glob) => !ownedScope.includes(glob)).map((glob) => scope(glob, false)),
    ...(before.status === status ? [] : [statusChange(before, after)]),
    ...text('name', before.name, name),
    ...text('constraints', before.constraints, after.constraints),
    ...text('acceptance criteria', before.acceptanceCriteria, after.acceptanceCriteria),
    ...checkChanges(id, before.checks, after.checks),
    ...(isDeepStrictEqual(before.dependsOn, after.dependsOn)
      ? []
      : [
          {
            effect: includesAll(after.dependsOn, before.dependsOn) ? ('tightens' as const) : ('loosens' as const),
            what: describeDifference(`${id} depends_on`, before.dependsOn, after.dependsOn),
          },
        ]),
  ]
}

/** A check is a program, so a new one must be accepted. A removed check loosens the requirements. */
function checkChanges(id: string, before: Intent['checks'], after: Intent['checks']): Change[] {
  const isIn = (all: Intent['checks'], check: Intent['checks'][number]) =>
    all.some((each) => isDeepStrictEqual(each, check))
  return [
    ...after
      .filter((check) => !isIn(before, check))
      .map((check): Change => ({ effect: 'runs', what: `${id} check +${JSON.stringify(check)}` })),
    ...before
      .filter((check) => !isIn(after, check))
      .map((check): Change => ({ effect: 'loosens', what: `${id} check -${JSON.stringify(check)}` })),
  ]
}

function newTexts(label: string, texts: readonly string[]): Change[] {
  return texts.length === 0 ? [] : [{ effect: 'text', what: `${label}: ${JSON.stringify(texts)}` }]
}

const OPEN: ReadonlySet<string> = new Set(['DRAFT', 'PENDING', 'IN_PROGRESS'])

/** Blocking tightens. Completing an intent may start others that depend on it, and a reopened one can be selected. */
function statusChange({ status: was }: Intent, { id, status }: Intent): Change {
  const isSame = OPEN.has(was) && OPEN.has(status)
  return {
    effect: isSame || status === 'BLOCKED' ? 'tightens' : 'loosens',
    what: describeDifference(`${id} status`, was, status),
  }
}

/** Compares two versions of `.intentignore`: a line with an intent's id tightens, any other frees paths. */
export function ignoreChanges(before: string | undefined, after: string | undefined): Change[] {
  const [oldLines, newLines] = [linesOf(before ?? ''), linesOf(after ?? '')]
  const change = (line: string, isAdded: boolean): Change => ({
    effect: isAdded === (line.startsWith('!') || /^INT-\d+$/.test(line.trim())) ? 'tightens' : 'loosens',
    what: `line ${isAdded ? '+' : '-'}${line}`,
  })
  const [keptOld, keptNew] = [
    oldLines.filter((line) => newLines.includes(line)),
    newLines.filter((line) => oldLines.includes(line)),
  ]
  return [
    ...newLines.filter((line) => !oldLines.includes(line)).map((line) => change(line, true)),
    ...oldLines.filter((line) => !newLines.includes(line)).map((line) => change(line, false)),
    // As in .gitignore, the last line that matches decides.
    ...(isDeepStrictEqual(keptOld, keptNew) ? [] : [loosening('the order of its lines')]),
  ]
}

/** A template is text for the next intent. */
export function templateChanges(before: string | undefined, after: string | undefined): Change[] {
  if (after === undefined) return [{ effect: 'tightens', what: 'the template is gone' }]
  return [{ effect: 'text', what: before === undefined ? 'a new template' : 'the template changed' }]
}

function loosening(what: string): Change {
  return { effect: 'loosens', what }
}

function describeDifference(label: string, before: unknown, after: unknown): string {
  return `${label}: ${formatValue(after)} (was: ${formatValue(before)})`
}

function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function formatGlobs(globs: readonly string[]): string {
  return globs.length === 0 ? 'nothing' : globs.join(' ')
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses YAML. An absent file is empty; undefined for invalid YAML. */
function parseYaml(text: string | undefined): unknown {
  if (text === undefined) return {}
  const yaml = readYaml(Buffer.from(text))
  return yaml.ok ? (yaml.file.value ?? {}) : undefined
}

function parseIntents(
  text: string | undefined,
): { readonly intents: ReadonlyMap<string, Intent>; readonly active: string | undefined } | undefined {
  if (text === undefined) return { intents: new Map(), active: undefined }
  const read = parseRegistry(Buffer.from(text))
  return read.ok ? { intents: read.open.data.intents, active: read.open.data.activeIntentId } : undefined
}

/** The problem of a text of active_intents.yaml, as a sentence. */
export function intentsProblem(text: string): string | undefined {
  const read = parseRegistry(Buffer.from(text))
  return read.ok ? undefined : describeProblem(`${ORCHESTRATION}/active_intents.yaml`, read.problem)
}
