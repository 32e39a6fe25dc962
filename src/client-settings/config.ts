import { existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { assertOutsideSession, hookToken } from '../access/index.js'
import { EscrowError } from '../core/api-error.js'
import { HOSTS, type HostName, profileOf } from '../hosts/index.js'
import { isKeptByGit } from '../os/git-ignore.js'
import { ensureDir, removeEmptyDir, removeName, replaceDurable, setMode } from '../os/write.js'
import { type ClientFile, textAt } from './files.js'
import { type HookAddress, OWN_SETTINGS, plansOf } from './plans.js'
import { hookProblems } from './switches.js'

/** How clients' settings are to be changed. */
export interface ClientOptions {
  /** Takes us out again. */
  readonly remove?: boolean
  /** The address of a server of hooks on this machine: Claude Code asks it, and no process of its own. */
  readonly http?: string
}

/**
 * What entering us into clients' settings would change, or taking us out of them. Nothing is written yet.
 * @throws EscrowError `unsupported` for a file that cannot be read or is not ours to change, and an address that is none;
 * `access_denied` inside of a session.
 */
export function planClients(
  root: string,
  clients: readonly HostName[],
  { remove = false, http }: ClientOptions = {},
): ClientFile[] {
  assertOutsideSession()
  const served = http === undefined || remove ? undefined : addressOf(http, root)
  if (served !== undefined) refuseShared(root)
  const files = new Map<string, ClientFile>()
  for (const client of clients)
    for (const file of plansOf(client, root, remove, served)) {
      const known = files.get(file.path)
      if (!known) files.set(file.path, file)
    }
  return [...files.values()].filter(({ before, after }) => before !== after)
}

/** Of what a server prints its origin alone: the token there is a person's, and lets who has it decide. */
function addressOf(http: string, root: string): HookAddress {
  const url = URL.canParse(http) ? new URL(http) : undefined
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (!url || !isHere)
    throw new EscrowError('unsupported', `${http} is not the address of a server on this machine.`, {
      hint: "Give an address such as http://127.0.0.1:4270, as 'escrow serve' prints it.",
    })
  return { origin: url.origin, token: hookToken(root) }
}

/** The token is for the eyes of one person: it is not written where git would take it. */
function refuseShared(root: string): void {
  const path = OWN_SETTINGS
  if (isKeptByGit(root, path))
    throw new EscrowError(
      'unsupported',
      `git does not ignore ${path}, which would contain a token. Nothing was changed.`,
      {
        hint: `Add ${path} to .gitignore. If git tracks it, run 'git rm --cached' on it.`,
      },
    )
}

/** Writes what was planned, unless a file has changed since. */
export function applyClients(root: string, files: readonly ClientFile[]): void {
  assertOutsideSession()
  for (const { path, before } of files)
    if (textAt(root, path) !== before)
      throw new EscrowError('stale_file', `${path} was changed by another program. Run the command again.`)
  for (const { path, after, isProgram, isSecret } of files) {
    const file = join(root, path)
    if (after === undefined) {
      removeName(file)
      for (let dir = dirname(file); dir !== root && removeEmptyDir(dir); dir = dirname(dir));
      continue
    }
    ensureDir(dirname(file))
    replaceDurable(file, after, isProgram ? 0o755 : isSecret ? 0o600 : modeOf(file))
    if (isProgram) setMode(file, 0o755)
  }
}

/** Which clients have us in their settings here, and which have settings here at all. */
export function findClients(root: string): FoundClient[] {
  return HOSTS.flatMap((client) => {
    const isThere = profileOf(client).presence.some((path) => existsSync(join(root, path)))
    if (!isThere) return []
    const isEntered = isIn(root, client)
    const problems = isEntered ? hookProblems(root, client) : []
    return [{ client, isEntered, ...(problems.length > 0 && { problems }) }]
  })
}

/** A client with settings in a workspace. */
export interface FoundClient {
  readonly client: HostName
  readonly isEntered: boolean
  /** Why our hooks hold nothing there although they are entered, as far as the client's settings say. */
  readonly problems?: readonly string[]
}

function isIn(root: string, client: HostName): boolean {
  try {
    return plansOf(client, root, false).every(({ before, after }) => before === after)
  } catch {
    return false
  }
}

function modeOf(file: string): number {
  return (lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777
}
