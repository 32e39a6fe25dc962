import { existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { codeOf } from '../overlay/index.js'
import { refuseInside } from './admit-reviewer.js'
import { EscrowError } from './core/api-error.js'
import { isLink, readSmall } from './host/read.js'
import { ensureDir, removeEmptyDir, removeName, replaceDurable, setMode } from './host/write.js'

/** A client whose settings `escrow init` can enter escrow in. */
export type ClientName = 'claude' | 'cline' | 'roo' | 'mcp'

/** One file of a client's settings as it is, and as it is going to be; undefined where there is none. */
export interface ClientFile {
  /** Relative to the root. */
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly isProgram?: true
}

type Fields = Readonly<Record<string, unknown>>

const MAX_BYTES = 1 << 20
/** A shell's own failures are not 2; the client would let the tool run. */
const CLAUDE_COMMAND = 'escrow hook claude --session claude || exit 2'
const CLAUDE_EVENTS: readonly (readonly [event: string, matcher?: string])[] = [
  ['PreToolUse', '*'],
  ['PermissionRequest', '*'],
  ['PostToolUse', '*'],
  ['SessionStart'],
  ['UserPromptSubmit'],
  ['Stop'],
  ['WorktreeCreate'],
]
const CLINE_EVENTS = ['PreToolUse', 'PostToolUse', 'TaskStart', 'TaskResume', 'UserPromptSubmit']
/** At Cline's no exit code holds a tool: where there is no answer, one is made here. */
const CLINE_SCRIPT = `#!/bin/sh
# Written by escrow init --cline; taken away by escrow init --cline --remove.
if answer=$(escrow hook cline --session cline); then
  printf '%s\\n' "$answer"
else
  printf '%s\\n' '{"cancel":true,"errorMessage":"escrow could not be asked, so this is refused.","contextModification":""}'
fi
`

/**
 * What entering us into clients' settings would change, or taking us out of them. Nothing is written yet.
 * @throws EscrowError `unsupported` for a file that cannot be read or is not ours to change; `access_denied` inside of a session.
 */
export function planClients(root: string, clients: readonly ClientName[], remove = false): ClientFile[] {
  refuseInside()
  const files = new Map<string, ClientFile>()
  for (const client of clients)
    for (const file of plansOf(client, root, remove)) {
      const known = files.get(file.path)
      if (!known) files.set(file.path, file)
    }
  return [...files.values()].filter(({ before, after }) => before !== after)
}

/** Writes what was planned, unless a file has changed since. */
export function applyClients(root: string, files: readonly ClientFile[]): void {
  refuseInside()
  for (const { path, before } of files)
    if (textAt(root, path) !== before) throw new EscrowError('stale_file', `${path} has changed meanwhile. Try again.`)
  for (const { path, after, isProgram } of files) {
    const file = join(root, path)
    if (after === undefined) {
      removeName(file)
      for (let dir = dirname(file); dir !== root && removeEmptyDir(dir); dir = dirname(dir));
      continue
    }
    ensureDir(dirname(file))
    replaceDurable(file, after, isProgram ? 0o755 : modeOf(file))
    if (isProgram) setMode(file, 0o755)
  }
}

/** Which clients have us in their settings here, and which have settings here at all. */
export function findClients(root: string): { readonly client: ClientName; readonly isEntered: boolean }[] {
  return (['claude', 'cline', 'roo', 'mcp'] as const).flatMap((client) => {
    const isThere = PLACES[client].some((path) => existsSync(join(root, path)))
    if (!isThere) return []
    try {
      return [{ client, isEntered: plansOf(client, root, false).every(({ before, after }) => before === after) }]
    } catch {
      return [{ client, isEntered: false }]
    }
  })
}

const PLACES: Readonly<Record<ClientName, readonly string[]>> = {
  claude: ['.claude', 'CLAUDE.md'],
  cline: ['.clinerules', '.cline'],
  roo: ['.roo', '.roorules'],
  mcp: ['.mcp.json'],
}

function plansOf(client: ClientName, root: string, remove: boolean): ClientFile[] {
  switch (client) {
    case 'claude':
      return [
        jsonFile(root, '.claude/settings.json', (settings) => withHooks(settings, remove)),
        serverFile(root, '.mcp.json', 'claude', remove),
      ]
    case 'cline':
      return CLINE_EVENTS.map((event) => scriptFile(root, `.clinerules/hooks/${event}`, remove))
    case 'roo':
      return [serverFile(root, '.roo/mcp.json', 'roo', remove)]
    case 'mcp':
      return [serverFile(root, '.mcp.json', undefined, remove)]
  }
}

function serverFile(root: string, path: string, session: string | undefined, remove: boolean): ClientFile {
  const ours = { command: 'escrow', args: ['mcp', ...(session === undefined ? [] : ['--session', session])] }
  return jsonFile(root, path, (settings) => {
    const servers = fieldsAt(settings, 'mcpServers', path)
    const { escrow, ...others } = servers
    const command = typeof escrow === 'object' && escrow !== null && 'command' in escrow ? escrow.command : undefined
    if (escrow !== undefined && command !== 'escrow') throw notOurs(path, 'has a server of another kind named `escrow`')
    if (!remove) return { ...settings, mcpServers: { ...servers, escrow: escrow ?? ours } }
    return escrow === undefined ? settings : without(settings, 'mcpServers', others)
  })
}

function withHooks(settings: Fields, remove: boolean): Fields {
  const path = '.claude/settings.json'
  const hooks: Record<string, unknown> = { ...fieldsAt(settings, 'hooks', path) }
  for (const [event, matcher] of CLAUDE_EVENTS) {
    const entries: unknown = hooks[event] ?? []
    if (!Array.isArray(entries)) throw notOurs(path, `has no list of hooks for ${event}`)
    const entry = {
      ...(matcher !== undefined && { matcher }),
      hooks: [{ type: 'command', command: CLAUDE_COMMAND, timeout: 30, onFailure: 'block' }],
    }
    const others: unknown[] = entries.filter((each: unknown) => !isDeepStrictEqual(each, entry))
    if (!remove) hooks[event] = others.length < entries.length ? entries : [...entries, entry]
    else if (others.length > 0) hooks[event] = others
    else delete hooks[event]
  }
  return remove ? without(settings, 'hooks', hooks) : { ...settings, hooks }
}

/** What is left of a key's value; without the key where nothing is. */
function without(settings: Fields, key: string, left: Fields): Fields {
  const { [key]: _, ...others } = settings
  return Object.keys(left).length === 0 ? others : { ...settings, [key]: left }
}

function jsonFile(root: string, path: string, change: (settings: Fields) => Fields): ClientFile {
  const before = textAt(root, path)
  const settings = before === undefined ? {} : parsed(before, path)
  const changed = change(settings)
  if (isDeepStrictEqual(changed, settings)) return { path, before, after: before }
  const after = Object.keys(changed).length === 0 ? undefined : written(changed, before)
  return { path, before, after }
}

/** Indented as it was, with its own ends of lines. */
function written(settings: Fields, before = ''): string {
  const indent = /^[{[]\s*\n([ \t]+)/.exec(before)?.[1] ?? '  '
  const text = `${JSON.stringify(settings, null, indent)}${before === '' || before.endsWith('\n') ? '\n' : ''}`
  return before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
}

function scriptFile(root: string, path: string, remove: boolean): ClientFile {
  const before = textAt(root, path)
  if (before !== undefined && before !== CLINE_SCRIPT) {
    if (remove) return { path, before, after: before }
    throw notOurs(path, 'is a hook of another kind, and Cline runs one of each name in a directory')
  }
  return { path, before, after: remove ? undefined : CLINE_SCRIPT, isProgram: true }
}

function textAt(root: string, path: string): string | undefined {
  for (let name = path; name !== '.'; name = dirname(name))
    if (isLink(join(root, name))) throw notOurs(name, 'is a link')
  try {
    return readSmall(join(root, path), MAX_BYTES)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw notOurs(path, `cannot be read (${codeOf(error)})`)
  }
}

function modeOf(file: string): number {
  return (lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777
}

function parsed(text: string, path: string): Fields {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw notOurs(path, `is no plain JSON (${error instanceof Error ? error.message : error})`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value))
  throw notOurs(path, 'holds no JSON object')
}

function fieldsAt(settings: Fields, key: string, path: string): Fields {
  const value = settings[key] ?? {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value))
  throw notOurs(path, `has a \`${key}\` that is no object`)
}

function notOurs(path: string, why: string): EscrowError {
  return new EscrowError('unsupported', `${path} ${why}, so it is left as it is. Nothing was changed.`, {
    hint: 'Mend it or move it away, or enter escrow by hand as docs/hosts has it.',
  })
}
