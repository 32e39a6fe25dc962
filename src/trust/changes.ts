import { isDeepStrictEqual } from 'node:util'
import type { Intent } from '../core/api.js'
import { ORCHESTRATION } from '../core/layout.js'
import type { TrustChange } from '../core/trust-api.js'
import { linesOf, parseRegistry } from '../intents/index.js'
import { describeProblem, readYaml } from '../os/yaml.js'

type Change = Omit<TrustChange, 'file'>

/** How strict the values of a key are, the loosest first. */
const RANKS: Readonly<Record<string, readonly unknown[]>> = {
  access: ['allow', undefined, 'ask', 'read-only', 'deny', 'hidden'],
  outside: ['allow', 'read-only', 'ask', undefined, 'deny', 'hidden'],
  'approval.merge': ['auto', undefined, 'manual'],
  'approval.lessons': ['auto', undefined, 'manual'],
  'approval.modal': [undefined, 'ask', 'all'],
  'approval.by': [undefined, 'any', 'person'],
  'locks.require_read': [undefined, false, true],
  'locks.strict': [undefined, false, true],
  'gate.tools': [undefined, 'destructive', 'all'],
  'gate.require_mutation_class': [undefined, false, true],
  claims: [undefined, 'warn', 'refuse'],
  'terminal.network': [true, 'ask', undefined, false],
  'terminal.isolation_none': [true, undefined, false],
  'terminal.classes': ['allow', undefined, 'ask', 'deny'],
}

/** Keys whose value is a number: less is stricter, none is the loosest. */
const COUNTS: ReadonlySet<string> = new Set(['limits.files', 'limits.bytes', 'limits.ops_per_minute', 'gate.breaker'])

/** Sections that are maps of names people choose. */
const MAPS: ReadonlySet<string> = new Set(['access', 'outside', 'terminal.classes', 'format'])

/** Differences of policy.yaml, key by key. */
export function policyChanges(before: string | undefined, after: string | undefined): Change[] {
  const [was, is] = [flatPolicy(before), flatPolicy(after)]
  if (was === undefined || is === undefined)
    return [{ effect: 'loosens', what: 'the file cannot be compared: one version is not valid YAML' }]
  const keys = [...new Set([...was.keys(), ...is.keys()])]
  return keys.flatMap((key) => {
    const [old, now] = [was.get(key), is.get(key)]
    if (isDeepStrictEqual(old?.value, now?.value)) return []
    const { section, name } = old ?? now ?? { section: key, name: undefined }
    const label = name === undefined ? section : `${section} ${JSON.stringify(name)}`
    return [{ effect: policyEffect(section, old?.value, now?.value), what: difference(label, old?.value, now?.value) }]
  })
}

interface Entry {
  readonly section: string
  readonly name?: string
  readonly value: unknown
}

/** `terminal.network` → its value; each rule of a map by itself. */
function flatPolicy(text: string | undefined): Map<string, Entry> | undefined {
  const value = parsedYaml(text)
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
  if (section === 'protected') return includesAll(after, before) ? 'tightens' : 'loosens'
  if (section === 'lessons_file') return 'text'
  if (section === 'limits.undo_commits') return isLess(before, after) ? 'tightens' : 'loosens'
  if (COUNTS.has(section)) return isLess(after, before) ? 'tightens' : 'loosens'
  const ranks = RANKS[section]
  const [was, is] = [ranks?.indexOf(before) ?? -1, ranks?.indexOf(after) ?? -1]
  // What is not known here may be anything.
  return was >= 0 && is >= was ? 'tightens' : 'loosens'
}

function includesAll(all: unknown, some: unknown): boolean {
  const [whole, part] = [all, some].map((each) => (Array.isArray(each) ? each : []))
  return (part ?? []).every((each) => (whole ?? []).includes(each))
}

function isLess(after: unknown, before: unknown): boolean {
  return typeof after === 'number' && (typeof before !== 'number' || after < before)
}

/** Differences of active_intents.yaml, intent by intent. */
export function intentChanges(before: string | undefined, after: string | undefined): Change[] {
  const [was, is] = [intentsOf(before), intentsOf(after)]
  if (was === undefined || is === undefined)
    return [{ effect: 'loosens', what: 'the file cannot be compared: one version is not valid' }]
  const gone = [...was.intents.values()].filter(({ id }) => !is.intents.has(id))
  const changes = [...is.intents.values()].flatMap((intent) => intentChange(was.intents.get(intent.id), intent))
  const active = was.active === is.active ? [] : [loosens(difference('active_intent_id', was.active, is.active))]
  return [
    ...gone.map(({ id }): Change => ({ effect: 'tightens', what: `intent ${id} is gone` })),
    ...changes,
    ...active,
  ]
}

function intentChange(was: Intent | undefined, is: Intent): Change[] {
  const { id, name, status, ownedScope } = is
  if (was === undefined)
    return [
      loosens(`new intent ${id} ${JSON.stringify(name)}, ${status}, scope ${formatGlobs(ownedScope)}`),
      // A model reads these as its orders.
      ...newTexts(`${id} constraints`, is.constraints),
      ...newTexts(`${id} acceptance criteria`, is.acceptanceCriteria),
    ]
  const scope = (glob: string, isAdded: boolean): Change => ({
    effect: isAdded === glob.startsWith('!') ? 'tightens' : 'loosens',
    what: `${id} scope ${isAdded ? '+' : '-'}${glob}`,
  })
  const text = (what: string, a: unknown, b: unknown): Change[] =>
    isDeepStrictEqual(a, b) ? [] : [{ effect: 'text', what: difference(`${id} ${what}`, a, b) }]
  return [
    ...ownedScope.filter((glob) => !was.ownedScope.includes(glob)).map((glob) => scope(glob, true)),
    ...was.ownedScope.filter((glob) => !ownedScope.includes(glob)).map((glob) => scope(glob, false)),
    ...(was.status === status ? [] : [statusChange(was, is)]),
    ...text('name', was.name, name),
    ...text('constraints', was.constraints, is.constraints),
    ...text('acceptance criteria', was.acceptanceCriteria, is.acceptanceCriteria),
    ...(isDeepStrictEqual(was.dependsOn, is.dependsOn)
      ? []
      : [
          {
            effect: includesAll(is.dependsOn, was.dependsOn) ? ('tightens' as const) : ('loosens' as const),
            what: difference(`${id} depends_on`, was.dependsOn, is.dependsOn),
          },
        ]),
  ]
}

function newTexts(label: string, texts: readonly string[]): Change[] {
  return texts.length === 0 ? [] : [{ effect: 'text', what: `${label}: ${JSON.stringify(texts)}` }]
}

const OPEN: ReadonlySet<string> = new Set(['DRAFT', 'PENDING', 'IN_PROGRESS'])

/** Blocking takes away; ending an intent may open others that depend on it, and what is open again can be selected. */
function statusChange({ status: was }: Intent, { id, status }: Intent): Change {
  const isSame = OPEN.has(was) && OPEN.has(status)
  return {
    effect: isSame || status === 'BLOCKED' ? 'tightens' : 'loosens',
    what: difference(`${id} status`, was, status),
  }
}

/** Differences of `.intentignore`: a line that is an intent's id takes away, any other frees paths. */
export function ignoreChanges(before: string | undefined, after: string | undefined): Change[] {
  const [was, is] = [linesOf(before ?? ''), linesOf(after ?? '')]
  const change = (line: string, isAdded: boolean): Change => ({
    effect: isAdded === (line.startsWith('!') || /^INT-\d+$/.test(line.trim())) ? 'tightens' : 'loosens',
    what: `line ${isAdded ? '+' : '-'}${line}`,
  })
  return [
    ...is.filter((line) => !was.includes(line)).map((line) => change(line, true)),
    ...was.filter((line) => !is.includes(line)).map((line) => change(line, false)),
  ]
}

/** A template is text for the next intent. */
export function templateChanges(before: string | undefined, after: string | undefined): Change[] {
  if (after === undefined) return [{ effect: 'tightens', what: 'the template is gone' }]
  return [{ effect: 'text', what: before === undefined ? 'a new template' : 'the template changed' }]
}

function loosens(what: string): Change {
  return { effect: 'loosens', what }
}

function difference(label: string, before: unknown, after: unknown): string {
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

/** An absent file says nothing; undefined where the text is no YAML. */
function parsedYaml(text: string | undefined): unknown {
  if (text === undefined) return {}
  const yaml = readYaml(Buffer.from(text))
  return yaml.ok ? (yaml.file.value ?? {}) : undefined
}

function intentsOf(
  text: string | undefined,
): { readonly intents: ReadonlyMap<string, Intent>; readonly active: string | undefined } | undefined {
  if (text === undefined) return { intents: new Map(), active: undefined }
  const read = parseRegistry(Buffer.from(text))
  return read.ok ? { intents: read.open.data.intents, active: read.open.data.activeIntentId } : undefined
}

/** What is wrong with a text of active_intents.yaml, as a sentence. */
export function intentsProblem(text: string): string | undefined {
  const read = parseRegistry(Buffer.from(text))
  return read.ok ? undefined : describeProblem(`${ORCHESTRATION}/active_intents.yaml`, read.problem)
}
