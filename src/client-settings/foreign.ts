import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../core/error-text.js'
import { HOSTS, profileOf } from '../hosts/index.js'
import { isLink } from '../os/read.js'
import { readText } from './files.js'
import { plansOf } from './plans.js'
import { CLINE_SCRIPT, OPENCODE_PLUGIN } from './texts.js'

/** A setting of a client in the workspace that escrow did not write: a client started there applies it. */
export interface ForeignSetting {
  /** The file, relative to the root. */
  readonly path: string
  /** Its key path in the file; empty for the whole file. */
  readonly at: string
  /** The setting's value, or why it could not be read. */
  readonly value: string
}

const SETTINGS = HOSTS.map((host) => profileOf(host).workspaceSettings)
/** JSON files, some with comments. The last ones are of hosts without a profile. */
const JSON_FILES = [
  ...new Set(SETTINGS.flatMap(({ json = [] }) => json)),
  ...['.cursor/mcp.json', '.cursor/hooks.json', '.vscode/mcp.json', '.vscode/tasks.json'],
]
const TOML_FILES = SETTINGS.flatMap(({ toml = [] }) => toml)
/** Each file in these directories is a program of a host. */
const PROGRAM_DIRS = SETTINGS.flatMap(({ programs = [] }) => programs)
/** Texts for a model, with settings for its host in their front matter. */
const TEXT_DIRS = SETTINGS.flatMap(({ texts = [] }) => texts)

/** Keys whose value is run, loaded or called. */
const RUN_KEYS = /^(?:command|\w+Command|\w+Helper|\w+Refresh|notify|plugins?|url|\w+Url)$/
/** Keys whose value disables hooks, or lets tools run without asking. */
const LOOSENING_KEYS =
  /^(?:disableAllHooks|disabledHooks|enableAllProjectMcpServers|enabledMcpjsonServers|enabledPlugins|defaultMode|allow|alwaysAllow|autoApprove|autoAccept|trust|permission|approval_policy|sandbox_mode|env|environment)$/

const MAX_VALUE_LENGTH = 200
/** How many files of a directory are read. */
const MAX_FILES = 500

/** Lists what the workspace's files would have clients do, apart from escrow's entries. It runs nothing and follows no link. */
export function foreignSettings(root: string): ForeignSetting[] {
  const texts = textsWithoutOurs(root)
  const read = (path: string) => (texts.has(path) ? texts.get(path) : readText(root, path))
  const found = [
    ...JSON_FILES.map((path) => orReadError(path, () => settingsInJson(path, read(path)))),
    ...TOML_FILES.map((path) => orReadError(path, () => settingsInToml(path, read(path)))),
    ...PROGRAM_DIRS.flatMap((dir) =>
      filesIn(root, dir).map((path) => orReadError(path, () => programSetting(path, read(path)))),
    ),
    ...TEXT_DIRS.flatMap((dir) =>
      filesIn(root, dir).map((path) => orReadError(path, () => settingsInFrontMatter(path, read(path)))),
    ),
  ]
  return found.flat()
}

/** The texts of settings without escrow's entries. */
function textsWithoutOurs(root: string): Map<string, string | undefined> {
  const texts = new Map<string, string | undefined>()
  for (const client of HOSTS)
    try {
      for (const { path, after } of plansOf(client, root, true)) texts.set(path, after)
    } catch {
      // The caller that reads the file reports the error.
    }
  return texts
}

function orReadError(path: string, read: () => ForeignSetting[]): ForeignSetting[] {
  try {
    return read()
  } catch (error) {
    return [foreignSetting(path, '', errorText(error))]
  }
}

function foreignSetting(path: string, at: string, value: string): ForeignSetting {
  return { path, at, value: value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value }
}

function settingsInJson(path: string, text: string | undefined): ForeignSetting[] {
  return text === undefined ? [] : settingsBelow(path, '', JSON.parse(stripComments(text)))
}

/** Removes comments and trailing commas. */
function stripComments(text: string): string {
  const uncommented = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1')
  return uncommented.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1')
}

function settingsBelow(path: string, at: string, value: unknown): ForeignSetting[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
    const place = at === '' ? key : `${at}.${key}`
    const isList = Array.isArray(value)
    if (isList || !(isRelevant(key, each) || disablesHooks(place, each))) return settingsBelow(path, place, each)
    return [foreignSetting(path, place, typeof each === 'string' ? withArguments(each, value) : JSON.stringify(each))]
  })
}

function isRelevant(key: string, value: unknown): boolean {
  const isEmpty = value === null || value === false || value === '' || ['[]', '{}'].includes(JSON.stringify(value))
  return !isEmpty && (RUN_KEYS.test(key) || LOOSENING_KEYS.test(key))
}

/** Disabled hooks include escrow's. */
function disablesHooks(place: string, value: unknown): boolean {
  return (/^hooks\w*\.enabled$/.test(place) && value === false) || /^hooks\w*\.disabled$/.test(place)
}

function withArguments(command: string, entry: object): string {
  const args: unknown = 'args' in entry ? entry.args : undefined
  return Array.isArray(args) ? [command, ...args.map(String)].join(' ') : command
}

function settingsInToml(path: string, text: string | undefined): ForeignSetting[] {
  let table = ''
  return (text ?? '').split('\n').flatMap((line) => {
    table = /^\s*\[+\s*([^\]]+?)\s*\]/.exec(line)?.[1] ?? table
    const [, key = '', value = ''] = /^\s*([\w.-]+)\s*=\s*(.*)$/.exec(line) ?? []
    const last = key.split('.').at(-1) ?? ''
    const isSet = table.endsWith('.env') && key !== ''
    if (!isSet && !RUN_KEYS.test(last) && !LOOSENING_KEYS.test(last)) return []
    return [foreignSetting(path, table === '' ? key : `${table}.${key}`, value.trim())]
  })
}

function programSetting(path: string, text: string | undefined): ForeignSetting[] {
  return text === undefined || text === CLINE_SCRIPT || text === OPENCODE_PLUGIN
    ? []
    : [foreignSetting(path, '', 'a client runs this file')]
}

function settingsInFrontMatter(path: string, text = ''): ForeignSetting[] {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? ''
  const keys = head.split('\n').flatMap((line) => /^(hooks|mcpServers|allowed-tools)\s*:/.exec(line)?.[1] ?? [])
  return keys.map((key) => foreignSetting(path, key, 'a client obeys this'))
}

/** Lists the files below a directory without following links. A link counts as a file, and reading it fails. */
function filesIn(root: string, dir: string): string[] {
  const parents = dir.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'))
  const link = parents.find((way) => isLink(join(root, way)))
  if (link !== undefined) return [link]
  try {
    const entries = readdirSync(join(root, dir), { withFileTypes: true }).slice(0, MAX_FILES)
    return entries.flatMap((each) => {
      const path = `${dir}/${each.name}`
      return each.isDirectory() ? filesIn(root, path) : [path]
    })
  } catch {
    return []
  }
}
