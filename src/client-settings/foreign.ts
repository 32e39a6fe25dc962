import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../core/error-text.js'
import { HOSTS, profileOf } from '../hosts/index.js'
import { isLink } from '../os/read.js'
import { textAt } from './files.js'
import { plansOf } from './plans.js'
import { CLINE_SCRIPT, OPENCODE_PLUGIN } from './texts.js'

/** A setting of a client that lies in the workspace and is not ours: who starts the client there obeys it. */
export interface ForeignSetting {
  /** The file, relative to the root. */
  readonly path: string
  /** Where it is in the file; empty for the whole. */
  readonly at: string
  /** What it says, or why it could not be read. */
  readonly value: string
}

const OBEYED = HOSTS.map((host) => profileOf(host).obeys)
/** Files of JSON, some of them with comments. The last ones are of hosts that have no profile. */
const JSON_FILES = [
  ...new Set(OBEYED.flatMap(({ json = [] }) => json)),
  ...['.cursor/mcp.json', '.cursor/hooks.json', '.vscode/mcp.json', '.vscode/tasks.json'],
]
const TOML_FILES = OBEYED.flatMap(({ toml = [] }) => toml)
/** Each file in these is a program of a host's. */
const PROGRAM_DIRS = OBEYED.flatMap(({ programs = [] }) => programs)
/** Texts for a model, with settings for its host at their head. */
const TEXT_DIRS = OBEYED.flatMap(({ texts = [] }) => texts)

/** Keys whose value is started, loaded or called. */
const RUNS = /^(?:command|\w+Command|\w+Helper|\w+Refresh|notify|plugins?|url|\w+Url)$/
/** Keys whose value switches hooks off, or lets tools run without asking. */
const LOOSENS =
  /^(?:disableAllHooks|disabledHooks|enableAllProjectMcpServers|enabledMcpjsonServers|enabledPlugins|defaultMode|allow|alwaysAllow|autoApprove|autoAccept|trust|permission|approval_policy|sandbox_mode|env|environment)$/

const LONGEST = 200
/** Files of a directory that are looked at. */
const MOST = 500

/** What the workspace's own files would have clients do, aside from our entries. Nothing of it is run, and no link is followed. */
export function foreignSettings(root: string): ForeignSetting[] {
  const left = withoutUs(root)
  const read = (path: string) => (left.has(path) ? left.get(path) : textAt(root, path))
  const found = [
    ...JSON_FILES.map((path) => orUnreadable(path, () => inJson(path, read(path)))),
    ...TOML_FILES.map((path) => orUnreadable(path, () => inToml(path, read(path)))),
    ...PROGRAM_DIRS.flatMap((dir) =>
      filesIn(root, dir).map((path) => orUnreadable(path, () => program(path, read(path)))),
    ),
    ...TEXT_DIRS.flatMap((dir) => filesIn(root, dir).map((path) => orUnreadable(path, () => inHead(path, read(path))))),
  ]
  return found.flat()
}

/** The texts that are left of settings when our own entries are taken out. */
function withoutUs(root: string): Map<string, string | undefined> {
  const left = new Map<string, string | undefined>()
  for (const client of HOSTS)
    try {
      for (const { path, after } of plansOf(client, root, true)) left.set(path, after)
    } catch {
      // Told of where it is read.
    }
  return left
}

function orUnreadable(path: string, look: () => ForeignSetting[]): ForeignSetting[] {
  try {
    return look()
  } catch (error) {
    return [foreignSetting(path, '', errorText(error))]
  }
}

function foreignSetting(path: string, at: string, value: string): ForeignSetting {
  return { path, at, value: value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value }
}

function inJson(path: string, text: string | undefined): ForeignSetting[] {
  return text === undefined ? [] : below(path, '', JSON.parse(plain(text)))
}

/** JSON without comments, and without commas behind the last of a list. */
function plain(text: string): string {
  const uncommented = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1')
  return uncommented.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1')
}

function below(path: string, at: string, value: unknown): ForeignSetting[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
    const place = at === '' ? key : `${at}.${key}`
    const isList = Array.isArray(value)
    if (isList || !(tellsOn(key, each) || switchesHooks(place, each))) return below(path, place, each)
    return [foreignSetting(path, place, typeof each === 'string' ? withArguments(each, value) : JSON.stringify(each))]
  })
}

function tellsOn(key: string, value: unknown): boolean {
  const isEmpty = value === null || value === false || value === '' || ['[]', '{}'].includes(JSON.stringify(value))
  return !isEmpty && (RUNS.test(key) || LOOSENS.test(key))
}

/** Hooks that are switched off are ours as well. */
function switchesHooks(place: string, value: unknown): boolean {
  return (/^hooks\w*\.enabled$/.test(place) && value === false) || /^hooks\w*\.disabled$/.test(place)
}

function withArguments(command: string, beside: object): string {
  const args: unknown = 'args' in beside ? beside.args : undefined
  return Array.isArray(args) ? [command, ...args.map(String)].join(' ') : command
}

function inToml(path: string, text: string | undefined): ForeignSetting[] {
  let table = ''
  return (text ?? '').split('\n').flatMap((line) => {
    table = /^\s*\[+\s*([^\]]+?)\s*\]/.exec(line)?.[1] ?? table
    const [, key = '', value = ''] = /^\s*([\w.-]+)\s*=\s*(.*)$/.exec(line) ?? []
    const last = key.split('.').at(-1) ?? ''
    const isSet = table.endsWith('.env') && key !== ''
    if (!isSet && !RUNS.test(last) && !LOOSENS.test(last)) return []
    return [foreignSetting(path, table === '' ? key : `${table}.${key}`, value.trim())]
  })
}

function program(path: string, text: string | undefined): ForeignSetting[] {
  return text === undefined || text === CLINE_SCRIPT || text === OPENCODE_PLUGIN
    ? []
    : [foreignSetting(path, '', 'a client runs this file')]
}

function inHead(path: string, text = ''): ForeignSetting[] {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? ''
  const keys = head.split('\n').flatMap((line) => /^(hooks|mcpServers|allowed-tools)\s*:/.exec(line)?.[1] ?? [])
  return keys.map((key) => foreignSetting(path, key, 'a client obeys this'))
}

/** The files in a directory and below it, as far as no link leads. A link is named as a file: who reads it is told. */
function filesIn(root: string, dir: string): string[] {
  const ways = dir.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'))
  const link = ways.find((way) => isLink(join(root, way)))
  if (link !== undefined) return [link]
  try {
    const entries = readdirSync(join(root, dir), { withFileTypes: true }).slice(0, MOST)
    return entries.flatMap((each) => {
      const path = `${dir}/${each.name}`
      return each.isDirectory() ? filesIn(root, path) : [path]
    })
  } catch {
    return []
  }
}
