import type { Intent } from '../core/api.js'
import { globProblem, MAX_GLOBS } from '../core/globs.js'
import type { YamlFile, YamlPath } from '../os/yaml.js'
import type { YamlProblem } from '../os/yaml-problem.js'
import { checkYaml } from '../os/yaml-schema.js'
import { checksOf, sentencesOf } from './criteria.js'
import { type Entry, entrySchema, rootSchema } from './file-schema.js'
import { isIntentId } from './intent-id.js'

/** The registry file as data, in either of its two shapes. */
export interface IntentsFile {
  readonly intents: ReadonlyMap<string, Intent>
  /** The path of each intent in the file. */
  readonly places: ReadonlyMap<string, YamlPath>
  readonly activeIntentId?: string
  /** The key of the intents: `active_intents` or `intents`. */
  readonly key: string
  /** Whether they are a map keyed by id, not a list. */
  readonly isMap: boolean
}

export type IntentsResult =
  | { readonly ok: true; readonly value: IntentsFile }
  | { readonly ok: false; readonly problem: YamlProblem }

/** Reads both shapes: `active_intents`, or `active_intent_id` and `intents`; each a list or a map keyed by id. */
export function readIntents(file: YamlFile): IntentsResult {
  const root = checkYaml(file, file.value, rootSchema)
  if (!root.ok) return root
  const keys = ['active_intents', 'intents'].filter((key) => Object.hasOwn(root.value, key))
  const [key, second] = keys
  if (key === undefined) return fail(file, [], 'neither `active_intents:` nor `intents:` is there; add one')
  if (second !== undefined) return fail(file, [second], 'both `active_intents:` and `intents:` are there; keep one')
  const entries = entriesOf(root.value[key], key)
  if (!entries) return fail(file, [key], `\`${key}\`: a list, or a map keyed by id, is expected`)
  const active = root.value.active_intent_id
  const read = collectEntries(file, entries)
  if (!read.ok) return read
  const isMap = typeof root.value[key] === 'object' && root.value[key] !== null && !Array.isArray(root.value[key])
  return { ok: true, value: { ...read.value, key, isMap, ...(active && { activeIntentId: active }) } }
}

interface ListedEntry {
  readonly path: YamlPath
  readonly value: unknown
  /** Its key in a map keyed by id. */
  readonly key?: string
}

function entriesOf(value: unknown, key: string): ListedEntry[] | undefined {
  if (value === null) return []
  if (Array.isArray(value)) return value.map((each: unknown, index) => ({ path: [key, index], value: each }))
  if (typeof value !== 'object') return undefined
  return Object.entries(value ?? {}).map(([id, each]: [string, unknown]) => ({ path: [key, id], value: each, key: id }))
}

type CollectResult =
  | { readonly ok: true; readonly value: Pick<IntentsFile, 'intents' | 'places'> }
  | { readonly ok: false; readonly problem: YamlProblem }

function collectEntries(file: YamlFile, entries: ListedEntry[]): CollectResult {
  const intents = new Map<string, Intent>()
  const places = new Map<string, YamlPath>()
  for (const placed of entries) {
    const entry = checkYaml(file, placed.value, entrySchema, placed.path)
    if (!entry.ok) return entry
    const problem = entryProblem(file, placed, entry.value)
    if (problem) return { ok: false, problem }
    const id = entry.value.id ?? placed.key
    if (id === undefined) return fail(file, placed.path, 'an intent without an id; add `id:`')
    if (intents.has(id)) return fail(file, [...placed.path, 'id'], `two intents have the id ${id}; rename one`)
    intents.set(id, toIntent(id, entry.value))
    places.set(id, placed.path)
  }
  return { ok: true, value: { intents, places } }
}

function entryProblem(file: YamlFile, { path, key }: ListedEntry, entry: Entry): YamlProblem | undefined {
  if (key !== undefined) {
    if (!isIntentId(key)) return file.problem(path, `${key} cannot be an id; rename it`)
    if (entry.id !== undefined && entry.id !== key) {
      return file.problem([...path, 'id'], `the id ${entry.id} differs from its key ${key}; make them equal`)
    }
  }
  if (entry.owned_scope && entry.scope?.paths) {
    return file.problem([...path, 'scope'], 'both `owned_scope` and `scope.paths` are there; keep one')
  }
  return scopeProblem(file, [...path, ...(entry.scope?.paths ? ['scope', 'paths'] : ['owned_scope'])], scopeOf(entry))
}

function scopeProblem(file: YamlFile, path: YamlPath, globs: readonly string[]): YamlProblem | undefined {
  if (globs.length > MAX_GLOBS) return file.problem(path, `more than ${MAX_GLOBS} globs in one intent; use fewer`)
  for (const [index, glob] of globs.entries()) {
    const problem = globProblem(glob)
    if (problem) return file.problem([...path, index], `the glob ${JSON.stringify(glob.slice(0, 80))}: ${problem}`)
  }
  return undefined
}

const scopeOf = (entry: Entry): readonly string[] => entry.owned_scope ?? entry.scope?.paths ?? []

function toIntent(id: string, entry: Entry): Intent {
  return {
    id,
    name: entry.name ?? entry.title ?? id,
    status: entry.status ?? 'PENDING',
    ownedScope: scopeOf(entry),
    constraints: entry.constraints ?? [],
    acceptanceCriteria: sentencesOf(entry.acceptance_criteria),
    checks: checksOf(entry.acceptance_criteria),
    dependsOn: entry.depends_on ?? [],
    ...(entry.created_at && { createdAt: entry.created_at }),
    ...(entry.updated_at && { updatedAt: entry.updated_at }),
  }
}

function fail(file: YamlFile, path: YamlPath, message: string): Extract<IntentsResult, { ok: false }> {
  return { ok: false, problem: file.problem(path, message) }
}
