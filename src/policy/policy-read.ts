import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { FileBytes } from '../os/cached-file.js'
import { type Parsed, parsedOnce } from '../os/parsed-texts.js'
import { readYaml, type YamlFile, type YamlPath } from '../os/yaml.js'
import type { YamlProblem } from '../os/yaml-problem.js'
import { checkYaml } from '../os/yaml-schema.js'
import { formatGlobs } from './format-rules.js'
import { type PathRule, type PathRules, pathRules, ruleProblem } from './path-rules.js'
import { type AccessMode, type FormatSection, type PolicyFile, policySchema, rulesSchema } from './policy-schema.js'
import { DEFAULT_SETTINGS, type Settings, settingsOf, UNSUPPORTED_SETTINGS } from './settings.js'

/** The compiled content of policy.yaml. */
export interface PolicyRules {
  /** Rules inside the workspace, by paths relative to the root. */
  readonly access: PathRules<AccessMode>
  /** Whether a rule hides paths. */
  readonly hides: boolean
  /** Whether a rule keeps paths from being read. */
  readonly closes: boolean
  /** Rules outside the workspace, by absolute paths or relative ones that leave the root. */
  readonly outside: {
    find(path: string): PathRule<AccessMode> | undefined
    covers(rule: PathRule<AccessMode>, path: string): boolean
    /** Each rule's mode, with its absolute path up to the first wildcard. */
    places(): readonly OutsidePlace[]
  }
  /** Paths that a person protects, in addition to the built-in ones. */
  readonly protected: PathRules<true>
  readonly settings: Settings
  /** The rules that a person accepted on this machine, if the file differs. Their path rules apply as well. */
  readonly accepted?: PolicyRules
}

/** The tables of path rules that apply: a path is denied if any of them denies it. */
export function tablesOf(rules: PolicyRules | undefined): readonly PolicyRules[] {
  if (rules === undefined) return []
  return rules.accepted === undefined ? [rules] : [rules, rules.accepted]
}

export interface OutsidePlace {
  readonly path: string
  readonly word: AccessMode
}

/** The rules, or a problem with the rules that could be read in spite of it. */
export interface PolicyRead {
  readonly problem?: YamlProblem
  readonly rules?: PolicyRules
}

interface Sections {
  readonly access: Record<string, AccessMode>
  readonly outside: Record<string, AccessMode>
  readonly protected: readonly string[]
}

const NOTHING: Sections = { access: {}, outside: {}, protected: [] }

/** Reads policy.yaml for a workspace at `root`. An absent file has no rules. Never throws. */
export function readPolicy(root: string, file: FileBytes): PolicyRead {
  if (file.kind === 'absent') return { rules: compile(root, NOTHING, DEFAULT_SETTINGS) }
  if (file.kind === 'unreadable') return { problem: { line: 1, column: 1, message: file.message } }
  const read = parsedOnce(`policy\0${root}\0${homedir()}`, file.bytes, () => parsePolicy(root, file.bytes))
  if (!read.ok) return read.problem
  const { policy, lines } = read.value
  return { rules: compile(root, sectionsOf(policy), settingsOf(policy), (...path) => lines[JSON.stringify(path)]) }
}

/** A valid policy.yaml as plain JSON, and the line of each rule by its path as JSON. */
interface ParsedPolicy {
  readonly policy: PolicyFile
  readonly lines: Readonly<Record<string, number>>
}

function parsePolicy(root: string, bytes: Uint8Array): Parsed<ParsedPolicy, PolicyRead> {
  const yaml = readYaml(bytes)
  if (!yaml.ok) return { ok: false, problem: { problem: yaml.problem } }
  const { file } = yaml
  const checked = checkYaml(file, file.value, policySchema)
  if (!checked.ok) return { ok: false, problem: { problem: checked.problem, ...salvage(root, file.value) } }
  const policy = checked.value
  const sections = sectionsOf(policy)
  const problem = keyProblem(root, file, sections, policy.format)
  if (problem) return { ok: false, problem: { problem } }
  const later = unsupportedProblem(file)
  if (later) {
    const rules = compile(root, sections, settingsOf(policy), (...path) => file.problem(path, '').line)
    return { ok: false, problem: { rules, problem: later } }
  }
  return { ok: true, value: { policy, lines: linesOf(file, sections) } }
}

function sectionsOf({ access, outside, protected: paths }: PolicyFile): Sections {
  return { access: access ?? {}, outside: outside ?? {}, protected: paths ?? [] }
}

function linesOf(file: YamlFile, { access, outside, protected: paths }: Sections): Record<string, number> {
  const places: YamlPath[] = [
    ...Object.keys(access).map((key) => ['access', key]),
    ...Object.keys(outside).map((key) => ['outside', key]),
    ...paths.map((_, index) => ['protected', index]),
  ]
  return Object.fromEntries(places.map((place) => [JSON.stringify(place), file.problem(place, '').line]))
}

type LineOf = (...path: YamlPath) => number | undefined

function compile(
  root: string,
  { access, outside, protected: paths }: Sections,
  settings: Settings,
  line: LineOf = () => undefined,
): PolicyRules {
  const outsideRules = pathRules(
    Object.entries(outside).map(([key, word]) => [outsideName(root, key), word, line('outside', key)] as const),
  )
  return {
    access: pathRules(Object.entries(access).map(([key, word]) => [key, word, line('access', key)] as const)),
    hides: Object.values(access).includes('hidden'),
    closes: Object.values(access).some((word) => word === 'hidden' || word === 'deny'),
    outside: {
      find: (path) => outsideRules.find(outsideName(root, path)),
      covers: (rule, path) => outsideRules.covers(rule, outsideName(root, path)),
      places: () => Object.entries(outside).map(([key, word]) => ({ path: literalPart(outsideName(root, key)), word })),
    },
    protected: pathRules(paths.map((path, index) => [path, true, line('protected', index)] as const)),
    settings,
  }
}

/** An absolute path as a rule name: no leading slash, and a Windows drive as its first segment. */
function outsideName(root: string, path: string): string {
  const home = path === '~' || path.startsWith('~/') ? homedir() + path.slice(1) : path
  const absolute = resolve(root, home)
  return absolute
    .replaceAll('\\', '/')
    .replace(/^([A-Za-z]):/, '$1')
    .replace(/^\/+/, '')
}

/** The path up to the first segment with a wildcard. */
function literalPart(name: string): string {
  const segments = name.split('/')
  const at = segments.findIndex((segment) => /[*?{[]/.test(segment))
  return `/${segments.slice(0, at < 0 ? undefined : at).join('/')}`
}

function keyProblem(
  root: string,
  file: YamlFile,
  { access, outside, protected: paths }: Sections,
  format: FormatSection | undefined,
): YamlProblem | undefined {
  const entries: (readonly [path: YamlPath, key: string, name: string])[] = [
    ...Object.keys(access).map((key) => [['access', key], key, key] as const),
    ...Object.keys(outside).map((key) => [['outside', key], key, outsideName(root, key)] as const),
    ...paths.map((key, index) => [['protected', index], key, key] as const),
    ...formatGlobs(format).map(([path, key]) => [path, key, key] as const),
  ]
  for (const [path, key, name] of entries) {
    const problem = ruleProblem(name)
    if (problem) return file.problem(path, `the path ${JSON.stringify(key.slice(0, 80))}: ${problem}`)
  }
  return undefined
}

function unsupportedProblem(file: YamlFile): YamlProblem | undefined {
  for (const [path, current] of UNSUPPORTED_SETTINGS) {
    const value: unknown = path.reduce<unknown>(child, file.value)
    if (value === undefined || isDeepStrictEqual(value, current)) continue
    const instead = current === undefined ? 'remove it' : `remove it, or set it to ${JSON.stringify(current)}`
    return file.problem(path, `\`${path.join('.')}\` with this value is not supported by this version; ${instead}`)
  }
  return undefined
}

/**
 * The read rules of a file with an invalid key. Any map of path to rule counts, because its key may be a misspelt `access`. If
 * `access` or `outside` exists but is not such a map, there are none.
 */
function salvage(root: string, value: unknown): { rules?: PolicyRules } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  const access: Record<string, AccessMode> = {}
  const outside: Record<string, AccessMode> = {}
  for (const [name, part] of Object.entries(value)) {
    const rules = rulesSchema.safeParse(part)
    const usable =
      rules.success && Object.keys(rules.data).every((key) => ruleProblem(key.replace(/^[~/]+/, '')) === undefined)
    if (usable) Object.assign(name === 'outside' ? outside : access, rules.data)
    else if (name === 'access' || name === 'outside') return {}
  }
  return { rules: compile(root, { access, outside, protected: [] }, DEFAULT_SETTINGS) }
}

function child(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined
}
