import { isDeepStrictEqual } from 'node:util'
import { defined } from '../core/defined.js'
import type { HostName } from '../hosts/index.js'
import {
  blockFile,
  type ClientFile,
  type Fields,
  fieldsAt,
  jsonFile,
  notOurs,
  ownFile,
  textAt,
  without,
} from './files.js'
import {
  CLINE_SCRIPT,
  CODEX_SERVER,
  FORMER_CODEX_SERVER,
  FORMER_COMMANDS,
  hookCommand,
  OPENCODE_PLUGIN,
  serverWords,
} from './texts.js'

/** Where Claude Code's hooks are served, if they are. */
export interface HookAddress {
  readonly origin: string
  readonly token: string
}

/** The settings of a host with us in them, or without us. */
export function plansOf(host: HostName, root: string, remove: boolean, served?: HookAddress): ClientFile[] {
  return PLANS[host](root, remove, served)
}

type Plan = (root: string, remove: boolean, served?: HookAddress) => ClientFile[]

const PLANS: Readonly<Record<HostName, Plan>> = {
  claude: claudeFiles,
  cline: (root, remove) =>
    CLINE_EVENTS.map((event) => ({
      ...ownFile(root, `.clinerules/hooks/${event}`, CLINE_SCRIPT, remove, ONE_OF_EACH),
      isProgram: true,
    })),
  codex: (root, remove) => [
    jsonFile(root, '.codex/hooks.json', (all) => withHooks(all, '.codex/hooks.json', CODEX_HOOKS, remove)),
    blockFile(
      root,
      '.codex/config.toml',
      { block: CODEX_SERVER, former: FORMER_CODEX_SERVER },
      remove,
      /\bmcp_servers\s*(?:=|\.\s*["']?escrow\b)/,
    ),
  ],
  gemini: (root, remove) => [
    jsonFile(
      root,
      '.gemini/settings.json',
      (all) =>
        withServer(withHooks(all, '.gemini/settings.json', GEMINI_HOOKS, remove), '.gemini/settings.json', {
          key: 'mcpServers',
          entry: serverEntry('gemini'),
          remove,
        }),
      'jsonc',
    ),
  ],
  opencode: (root, remove) => [
    ownFile(root, '.opencode/plugins/escrow.js', OPENCODE_PLUGIN, remove, 'a plugin that escrow did not write'),
    jsonFile(
      root,
      'opencode.json',
      (all) => withServer(all, 'opencode.json', { key: 'mcp', entry: OPENCODE_SERVER, remove }),
      'jsonc',
    ),
  ],
  roo: (root, remove) => [serverFile(root, '.roo/mcp.json', 'roo', remove)],
  mcp: (root, remove) => [serverFile(root, '.mcp.json', undefined, remove)],
}

const ONE_OF_EACH = 'a hook that escrow did not write, and Cline runs only one of each name'
const CLINE_EVENTS = ['PreToolUse', 'PostToolUse', 'TaskStart', 'TaskResume', 'UserPromptSubmit']

/** Which entry of a client's list of hooks is ours, for each event, and what it was in earlier versions. */
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

function hooksOf(
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

const CLAUDE_HOOKS = hooksOf(
  CLAUDE_EVENTS,
  () => ({ type: 'command', command: hookCommand('claude'), timeout: 30, onFailure: 'block' }),
  FORMER_COMMANDS.claude,
)

const CODEX_HOOKS = hooksOf(
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

/** Its times are in milliseconds. */
const GEMINI_HOOKS = hooksOf(
  [['BeforeTool', '.*'], ['AfterTool', '.*'], ['SessionStart'], ['BeforeAgent'], ['AfterAgent']],
  () => ({ name: 'escrow', type: 'command', command: hookCommand('gemini'), timeout: 30_000 }),
  FORMER_COMMANDS.gemini,
)

const OPENCODE_SERVER = { type: 'local', command: serverWords('opencode'), enabled: true }

/** Claude Code's settings of one person, which no repository shares. */
export const OWN_SETTINGS = '.claude/settings.local.json'

/** By a served hook they are the user's own, as they name a token and a port of this machine. It is one form or the other. */
function claudeFiles(root: string, remove: boolean, served?: HookAddress): ClientFile[] {
  const [shared, own] = ['.claude/settings.json', OWN_SETTINGS]
  const server = serverFile(root, '.mcp.json', 'claude', remove)
  if (!remove) for (const path of [shared, own]) jsonFile(root, path, (all) => withHooksOn(all, path))
  const isServed = textAt(root, own)?.includes(SERVED_AT) === true
  if (isServed && !remove && served === undefined) return [server]
  const isOut = remove || served !== undefined
  const commands = jsonFile(root, shared, (all) =>
    withAllowed(withHooks(all, shared, CLAUDE_HOOKS, isOut), shared, isOut),
  )
  const requests = jsonFile(root, own, (all) => {
    const others = isServed ? withAllowed(withoutServed(all, own), own, true) : all
    if (served === undefined) return others
    return withAllowed(withHooks(others, own, servedHooks(served), false), own, false)
  })
  return [commands, { ...requests, isSecret: true }, server]
}

/** What a person need not be asked about: all that these do is staged. Our hook puts each command of Bash into the first. */
const CLAUDE_ALLOWED = ['Bash(escrow-sh --session claude:*)', 'mcp__escrow']

/** Else a dialog asks about our server, and what it proposes is to go on without it. */
const CLAUDE_SERVERS = ['escrow']

function withAllowed(settings: Fields, path: string, remove: boolean): Fields {
  const permissions = fieldsAt(settings, 'permissions', path)
  const allow = listWith(permissions.allow, CLAUDE_ALLOWED, remove, () =>
    notOurs(path, 'has a `permissions.allow` that is not a list'),
  )
  const servers = listWith(settings.enabledMcpjsonServers, CLAUDE_SERVERS, remove, () =>
    notOurs(path, 'has an `enabledMcpjsonServers` that is not a list'),
  )
  const { enabledMcpjsonServers: _, ...others } = settings
  const listed = servers === undefined ? others : { ...settings, enabledMcpjsonServers: servers }
  if (allow === permissions.allow) return listed
  const { allow: __, ...rest } = permissions
  return without(listed, 'permissions', allow === undefined ? rest : { ...permissions, allow })
}

/** A list of settings with ours at its end, or without them: the same value where that changes nothing, undefined where nothing is left. */
function listWith(value: unknown, ours: readonly string[], remove: boolean, problem: () => Error): unknown {
  const list: unknown = value ?? []
  if (!Array.isArray(list)) throw problem()
  const missing = ours.filter((each) => !list.includes(each))
  if (!remove) return missing.length === 0 ? value : [...list, ...missing]
  const left: unknown[] = list.filter((each: unknown) => !ours.some((one) => one === each))
  if (left.length === list.length) return value
  return left.length === 0 ? undefined : left
}

function withHooksOn(settings: Fields, path: string): Fields {
  if (settings.disableAllHooks === true) throw notOurs(path, 'disables all hooks (`disableAllHooks`)')
  return settings
}

const SERVED_AT = '/hooks/claude?session='

function servedHooks({ origin, token }: HookAddress): Hooks {
  return hooksOf(CLAUDE_EVENTS, (event) => ({
    type: 'http',
    url: `${origin}${SERVED_AT}claude&event=${event}`,
    headers: { Authorization: `Bearer ${token}` },
    timeout: 30,
    onFailure: 'block',
  }))
}

/** Without every served hook of ours, whatever its port. */
function withoutServed(settings: Fields, path: string): Fields {
  const hooks = Object.entries(fieldsAt(settings, 'hooks', path)).map(([event, entries]): [string, unknown] => [
    event,
    Array.isArray(entries) ? entries.filter((each: unknown) => !JSON.stringify(each).includes(SERVED_AT)) : entries,
  ])
  const left = hooks.filter(([, entries]) => !Array.isArray(entries) || entries.length > 0)
  return without(settings, 'hooks', Object.fromEntries(left))
}

function withHooks(settings: Fields, path: string, ours: Hooks, remove: boolean): Fields {
  const hooks: Record<string, unknown> = { ...fieldsAt(settings, 'hooks', path) }
  for (const [event, entry, former] of ours) {
    const entries: unknown = hooks[event] ?? []
    if (!Array.isArray(entries)) throw notOurs(path, `has no list of hooks for ${event}`)
    const left: unknown[] = entries.filter((each: unknown) => !former.some((one) => isDeepStrictEqual(each, one)))
    const others = left.filter((each) => !isDeepStrictEqual(each, entry))
    if (!remove) hooks[event] = others.length < left.length ? left : [...left, entry]
    else if (others.length > 0) hooks[event] = others
    else delete hooks[event]
  }
  return remove ? without(settings, 'hooks', hooks) : { ...settings, hooks }
}

interface ServerEntry {
  readonly key: string
  readonly entry: Fields
  readonly remove: boolean
}

function serverEntry(session: string | undefined): Fields {
  const [command, ...args] = serverWords(session)
  return { command, args }
}

function serverFile(root: string, path: string, session: string | undefined, remove: boolean): ClientFile {
  const entry = serverEntry(session)
  return jsonFile(root, path, (all) => withServer(all, path, { key: 'mcpServers', entry, remove }))
}

/** What is started by our name, with words or variables of somebody else's, can be any program. */
function isOurServer(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  const words = wordsOf({ ...entry })
  const isElse = ['env', 'environment', 'envFile', 'cwd', 'url'].some((key) => key in entry)
  return !isElse && ((words[0] === 'escrow' && words[1] === 'mcp') || isOurLine(words))
}

/** As we write it, for whatever session. */
function isOurLine(words: readonly unknown[]): boolean {
  const session = / --session ([\w.-]+)$/.exec(String(words.at(-1)))?.[1]
  return isDeepStrictEqual(words, serverWords(session))
}

function wordsOf({ command, args = [] }: Fields): unknown[] {
  return [command, args].flat()
}

/** As an earlier version wrote it: by the name alone. One with words of a person's stays. */
function isFormerServer(entry: unknown, ours: Fields): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  const line = String(wordsOf(ours).at(-1))
  const words = ['escrow', ...(/exec escrow (.*)$/.exec(line)?.[1]?.split(' ') ?? [])]
  return isDeepStrictEqual(wordsOf({ ...entry }), words)
}

function withServer(settings: Fields, path: string, { key, entry, remove }: ServerEntry): Fields {
  const servers = fieldsAt(settings, key, path)
  const { escrow, ...others } = servers
  if (escrow !== undefined && !isOurServer(escrow))
    throw notOurs(path, 'has a server named `escrow` that escrow did not write')
  const isKept = escrow !== undefined && !isFormerServer(escrow, entry)
  if (!remove) return { ...settings, [key]: { ...servers, escrow: isKept ? escrow : entry } }
  return escrow === undefined ? settings : without(settings, key, others)
}
