import { isDeepStrictEqual } from 'node:util'
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
import { CLINE_SCRIPT, CODEX_SERVER, FORMER_COMMANDS, hookCommand, OPENCODE_PLUGIN } from './texts.js'

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
    blockFile(root, '.codex/config.toml', CODEX_SERVER, remove, /\bmcp_servers\s*(?:=|\.\s*["']?escrow\b)/),
  ],
  gemini: (root, remove) => [
    jsonFile(
      root,
      '.gemini/settings.json',
      (all) =>
        withServer(withHooks(all, '.gemini/settings.json', GEMINI_HOOKS, remove), '.gemini/settings.json', {
          key: 'mcpServers',
          entry: { command: 'escrow', args: ['mcp', '--session', 'gemini'] },
          remove,
        }),
      'jsonc',
    ),
  ],
  opencode: (root, remove) => [
    ownFile(root, '.opencode/plugins/escrow.js', OPENCODE_PLUGIN, remove, 'a plugin of another kind'),
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

const ONE_OF_EACH = 'a hook of another kind, and Cline runs one of each name in a directory'
const CLINE_EVENTS = ['PreToolUse', 'PostToolUse', 'TaskStart', 'TaskResume', 'UserPromptSubmit']

/** Which entry of a client's list of hooks is ours, for each event, and what it was in an earlier version. */
type Hooks = readonly (readonly [event: string, entry: Fields, former?: Fields])[]

const CLAUDE_EVENTS: readonly (readonly [event: string, matcher?: string])[] = [
  ['PreToolUse', '*'],
  ['PermissionRequest', '*'],
  ['PostToolUse', '*'],
  ['SessionStart'],
  ['UserPromptSubmit'],
  ['Stop'],
  ['WorktreeCreate'],
]

function hooksOf(events: typeof CLAUDE_EVENTS, handler: (event: string) => Fields, former?: string): Hooks {
  return events.map(([event, matcher]) => {
    const entryOf = (hook: Fields) => ({ ...(matcher !== undefined && { matcher }), hooks: [hook] })
    const hook = handler(event)
    return former === undefined ? [event, entryOf(hook)] : [event, entryOf(hook), entryOf({ ...hook, command: former })]
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

const OPENCODE_SERVER = { type: 'local', command: ['escrow', 'mcp', '--session', 'opencode'], enabled: true }

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

function withAllowed(settings: Fields, path: string, remove: boolean): Fields {
  const permissions = fieldsAt(settings, 'permissions', path)
  const allow: unknown = permissions.allow ?? []
  if (!Array.isArray(allow)) throw notOurs(path, 'has a `permissions.allow` that is no list')
  const others: unknown[] = allow.filter((each: unknown) => !CLAUDE_ALLOWED.some((ours) => ours === each))
  if (remove) {
    const { allow: _, ...rest } = permissions
    const left = others.length === 0 ? rest : { ...rest, allow: others }
    return others.length === allow.length ? settings : without(settings, 'permissions', left)
  }
  const missing = CLAUDE_ALLOWED.filter((ours) => !allow.includes(ours))
  if (missing.length === 0) return settings
  return { ...settings, permissions: { ...permissions, allow: [...allow, ...missing] } }
}

function withHooksOn(settings: Fields, path: string): Fields {
  if (settings.disableAllHooks === true) throw notOurs(path, 'switches all hooks off (`disableAllHooks`)')
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
    const left: unknown[] = entries.filter((each: unknown) => former === undefined || !isDeepStrictEqual(each, former))
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

function serverFile(root: string, path: string, session: string | undefined, remove: boolean): ClientFile {
  const args = ['mcp', ...(session === undefined ? [] : ['--session', session])]
  const entry = { command: 'escrow', args }
  return jsonFile(root, path, (all) => withServer(all, path, { key: 'mcpServers', entry, remove }))
}

/** What is started by our name, with words or variables of somebody else's, can be any program. */
function isOurServer(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  const { command, args, ...others }: Record<string, unknown> = { ...entry }
  const words: unknown[] = [command, args ?? []].flat()
  const isElse = ['env', 'environment', 'envFile', 'cwd', 'url'].some((key) => key in others)
  return words[0] === 'escrow' && words[1] === 'mcp' && !isElse
}

function withServer(settings: Fields, path: string, { key, entry, remove }: ServerEntry): Fields {
  const servers = fieldsAt(settings, key, path)
  const { escrow, ...others } = servers
  if (escrow !== undefined && !isOurServer(escrow)) throw notOurs(path, 'has a server of another kind named `escrow`')
  if (!remove) return { ...settings, [key]: { ...servers, escrow: escrow ?? entry } }
  return escrow === undefined ? settings : without(settings, key, others)
}
