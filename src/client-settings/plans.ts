import { isDeepStrictEqual } from 'node:util'
import { defined } from '../core/defined.js'
import type { HostName } from '../hosts/index.js'
import {
  blockFile,
  type ClientFile,
  cannotEdit,
  type Fields,
  jsonFile,
  objectAt,
  ownedFile,
  readText,
  setOrDelete,
} from './files.js'
import {
  CLINE_SCRIPT,
  CODEX_SERVER,
  FORMER_CODEX_SERVERS,
  FORMER_COMMANDS,
  hookCommand,
  OPENCODE_PLUGIN,
  serverCommand,
} from './texts.js'

/** The address of Claude Code's hook server, if one is used. */
export interface HookAddress {
  readonly origin: string
  readonly token: string
}

/** Plans the settings of a host with escrow's entries, or without them. */
export function plansOf(host: HostName, root: string, remove: boolean, served?: HookAddress): ClientFile[] {
  return PLANS[host](root, remove, served)
}

type Plan = (root: string, remove: boolean, served?: HookAddress) => ClientFile[]

const PLANS: Readonly<Record<HostName, Plan>> = {
  claude: claudeFiles,
  cline: (root, remove) =>
    CLINE_EVENTS.map((event) => ({
      ...ownedFile(root, `.clinerules/hooks/${event}`, CLINE_SCRIPT, remove, FOREIGN_CLINE_HOOK),
      isProgram: true,
    })),
  codex: (root, remove) => [
    jsonFile(root, '.codex/hooks.json', (all) => editHooks(all, '.codex/hooks.json', CODEX_HOOKS, remove)),
    blockFile(
      root,
      '.codex/config.toml',
      { block: CODEX_SERVER, former: FORMER_CODEX_SERVERS },
      remove,
      /\bmcp_servers\s*(?:=|\.\s*["']?escrow\b)/,
    ),
  ],
  gemini: (root, remove) => [
    jsonFile(
      root,
      '.gemini/settings.json',
      (all) =>
        editServer(editHooks(all, '.gemini/settings.json', GEMINI_HOOKS, remove), '.gemini/settings.json', {
          key: 'mcpServers',
          entry: serverEntry('gemini'),
          remove,
        }),
      'jsonc',
    ),
  ],
  opencode: (root, remove) => [
    ownedFile(root, '.opencode/plugins/escrow.js', OPENCODE_PLUGIN, remove, 'a plugin that escrow did not write'),
    jsonFile(
      root,
      'opencode.json',
      (all) => editServer(all, 'opencode.json', { key: 'mcp', entry: OPENCODE_SERVER, remove }),
      'jsonc',
    ),
  ],
  roo: (root, remove) => [serverFile(root, '.roo/mcp.json', 'roo', remove)],
  mcp: (root, remove) => [serverFile(root, '.mcp.json', undefined, remove)],
}

const FOREIGN_CLINE_HOOK = 'a hook that escrow did not write, and Cline runs only one of each name'
const CLINE_EVENTS = ['PreToolUse', 'PostToolUse', 'TaskStart', 'TaskResume', 'UserPromptSubmit']

/** escrow's entry in a client's list of hooks, for each event, and the entries of earlier versions. */
type Hooks = readonly (readonly [event: string, entry: Fields, former: readonly Fields[]])[]

const CLAUDE_EVENTS: readonly (readonly [event: string, matcher?: string])[] = [
  ['PreToolUse', '*'],
  ['PermissionRequest', '*'],
  ['PostToolUse', '*'],
  ['SessionStart'],
  ['UserPromptSubmit'],
  ['Stop'],
  ['WorktreeCreate'],
]

function buildHooks(
  events: typeof CLAUDE_EVENTS,
  handler: (event: string) => Fields,
  former: readonly string[] = [],
): Hooks {
  return events.map(([event, matcher]) => {
    const entryOf = (hook: Fields) => ({ ...defined({ matcher }), hooks: [hook] })
    const hook = handler(event)
    return [event, entryOf(hook), former.map((command) => entryOf({ ...hook, command }))]
  })
}

const CLAUDE_HOOKS = buildHooks(
  CLAUDE_EVENTS,
  () => ({ type: 'command', command: hookCommand('claude'), timeout: 30, onFailure: 'block' }),
  FORMER_COMMANDS.claude,
)

const CODEX_HOOKS = buildHooks(
  [
    ['PreToolUse', '.*'],
    ['PermissionRequest', '.*'],
    ['PostToolUse', '.*'],
    ['SessionStart'],
    ['UserPromptSubmit'],
    ['Stop'],
  ],
  () => ({ type: 'command', command: hookCommand('codex'), timeout: 30 }),
  FORMER_COMMANDS.codex,
)

/** Gemini CLI's timeouts are in milliseconds. */
const GEMINI_HOOKS = buildHooks(
  [['BeforeTool', '.*'], ['AfterTool', '.*'], ['SessionStart'], ['BeforeAgent'], ['AfterAgent']],
  () => ({ name: 'escrow', type: 'command', command: hookCommand('gemini'), timeout: 30_000 }),
  FORMER_COMMANDS.gemini,
)

const OPENCODE_SERVER = { type: 'local', command: serverCommand('opencode'), enabled: true }

/** Claude Code's settings of one person, which are not shared by git. */
export const PERSONAL_SETTINGS = '.claude/settings.local.json'

/**
 * Hooks of a server go into the personal settings, because they contain a token and a port of this machine. Only one
 * form is added.
 */
function claudeFiles(root: string, remove: boolean, served?: HookAddress): ClientFile[] {
  const [shared, own] = ['.claude/settings.json', PERSONAL_SETTINGS]
  const server = serverFile(root, '.mcp.json', 'claude', remove)
  if (!remove) for (const path of [shared, own]) jsonFile(root, path, (all) => assertHooksEnabled(all, path))
  const isServed = readText(root, own)?.includes(SERVED_PATH) === true
  if (isServed && !remove && served === undefined) return [server]
  const isRemoved = remove || served !== undefined
  const commands = jsonFile(root, shared, (all) =>
    editAllowed(editHooks(all, shared, CLAUDE_HOOKS, isRemoved), shared, isRemoved),
  )
  const requests = jsonFile(root, own, (all) => {
    const others = isServed ? editAllowed(withoutServed(all, own), own, true) : all
    if (served === undefined) return others
    return editAllowed(editHooks(others, own, hooksAt(served), false), own, false)
  })
  return [commands, { ...requests, isSecret: true }, server]
}

/** Tools that need no dialog, because their effects are staged. The hook turns each Bash command into the first one. */
const CLAUDE_ALLOWED = ['Bash(escrow-sh --session claude:*)', 'mcp__escrow']

/** Enables the server, because Claude Code's dialog proposes to disable it. */
const CLAUDE_SERVERS = ['escrow']

function editAllowed(settings: Fields, path: string, remove: boolean): Fields {
  const permissions = objectAt(settings, 'permissions', path)
  const allow = editList(permissions.allow, CLAUDE_ALLOWED, remove, () =>
    cannotEdit(path, 'has a `permissions.allow` that is not a list'),
  )
  const servers = editList(settings.enabledMcpjsonServers, CLAUDE_SERVERS, remove, () =>
    cannotEdit(path, 'has an `enabledMcpjsonServers` that is not a list'),
  )
  const { enabledMcpjsonServers: _, ...others } = settings
  const listed = servers === undefined ? others : { ...settings, enabledMcpjsonServers: servers }
  if (allow === permissions.allow) return listed
  const { allow: __, ...rest } = permissions
  return setOrDelete(listed, 'permissions', allow === undefined ? rest : { ...permissions, allow })
}

/** Adds entries to a list or removes them. Returns the same value where nothing changes, and undefined for an empty list. */
function editList(value: unknown, ours: readonly string[], remove: boolean, problem: () => Error): unknown {
  const list: unknown = value ?? []
  if (!Array.isArray(list)) throw problem()
  const missing = ours.filter((each) => !list.includes(each))
  if (!remove) return missing.length === 0 ? value : [...list, ...missing]
  const remaining: unknown[] = list.filter((each: unknown) => !ours.some((one) => one === each))
  if (remaining.length === list.length) return value
  return remaining.length === 0 ? undefined : remaining
}

function assertHooksEnabled(settings: Fields, path: string): Fields {
  if (settings.disableAllHooks === true) throw cannotEdit(path, 'disables all hooks (`disableAllHooks`)')
  return settings
}

const SERVED_PATH = '/hooks/claude?session='

function hooksAt({ origin, token }: HookAddress): Hooks {
  return buildHooks(CLAUDE_EVENTS, (event) => ({
    type: 'http',
    url: `${origin}${SERVED_PATH}claude&event=${event}`,
    headers: { Authorization: `Bearer ${token}` },
    timeout: 30,
    onFailure: 'block',
  }))
}

/** Removes every hook of a server of escrow, whatever its port. */
function withoutServed(settings: Fields, path: string): Fields {
  const hooks = Object.entries(objectAt(settings, 'hooks', path)).map(([event, entries]): [string, unknown] => [
    event,
    Array.isArray(entries) ? entries.filter((each: unknown) => !JSON.stringify(each).includes(SERVED_PATH)) : entries,
  ])
  const remaining = hooks.filter(([, entries]) => !Array.isArray(entries) || entries.length > 0)
  return setOrDelete(settings, 'hooks', Object.fromEntries(remaining))
}

function editHooks(settings: Fields, path: string, ours: Hooks, remove: boolean): Fields {
  const hooks: Record<string, unknown> = { ...objectAt(settings, 'hooks', path) }
  for (const [event, entry, former] of ours) {
    const entries: unknown = hooks[event] ?? []
    if (!Array.isArray(entries)) throw cannotEdit(path, `has no list of hooks for ${event}`)
    const remaining: unknown[] = entries.filter((each: unknown) => !former.some((one) => isDeepStrictEqual(each, one)))
    const others = remaining.filter((each) => !isDeepStrictEqual(each, entry))
    if (!remove) hooks[event] = others.length < remaining.length ? remaining : [...remaining, entry]
    else if (others.length > 0) hooks[event] = others
    else delete hooks[event]
  }
  return remove ? setOrDelete(settings, 'hooks', hooks) : { ...settings, hooks }
}

interface ServerEntry {
  readonly key: string
  readonly entry: Fields
  readonly remove: boolean
}

function serverEntry(session: string | undefined): Fields {
  const [command, ...args] = serverCommand(session)
  return { command, args }
}

function serverFile(root: string, path: string, session: string | undefined, remove: boolean): ClientFile {
  const entry = serverEntry(session)
  return jsonFile(root, path, (all) => editServer(all, path, { key: 'mcpServers', entry, remove }))
}

/** A server of that name with extra arguments or variables can be any program. */
function isOurServer(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  const argv = commandLineOf({ ...entry })
  const hasOtherKeys = ['env', 'environment', 'envFile', 'cwd', 'url'].some((key) => key in entry)
  return !hasOtherKeys && ((argv[0] === 'escrow' && argv[1] === 'mcp') || isOurCommand(argv))
}

/** Whether it is the command that escrow writes, for any session. */
function isOurCommand(argv: readonly unknown[]): boolean {
  const session = / --session ([\w.-]+)$/.exec(String(argv.at(-1)))?.[1]
  return isDeepStrictEqual(argv, serverCommand(session))
}

function commandLineOf({ command, args = [] }: Fields): unknown[] {
  return [command, args].flat()
}

/** Whether it is the entry of an earlier version: the plain name. Entries with a person's own arguments are kept. */
function isFormerServer(entry: unknown, ours: Fields): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  const line = String(commandLineOf(ours).at(-1))
  const argv = ['escrow', ...(/exec escrow (.*)$/.exec(line)?.[1]?.split(' ') ?? [])]
  return isDeepStrictEqual(commandLineOf({ ...entry }), argv)
}

function editServer(settings: Fields, path: string, { key, entry, remove }: ServerEntry): Fields {
  const servers = objectAt(settings, key, path)
  const { escrow, ...others } = servers
  if (escrow !== undefined && !isOurServer(escrow))
    throw cannotEdit(path, 'has a server named `escrow` that escrow did not write')
  const isKept = escrow !== undefined && !isFormerServer(escrow, entry)
  if (!remove) return { ...settings, [key]: { ...servers, escrow: isKept ? escrow : entry } }
  return escrow === undefined ? settings : setOrDelete(settings, key, others)
}
