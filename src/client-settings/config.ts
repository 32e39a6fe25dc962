import { existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { assertOutsideSession, hookToken } from '../access/index.js'
import { EscrowError } from '../core/api-error.js'
import { HOSTS, type HostName, profileOf } from '../hosts/index.js'
import { isKeptByGit } from '../os/git-ignore.js'
import { ensureDir, removeEmptyDir, removeName, replaceDurable, setMode } from '../os/write.js'
import { type ClientFile, readText } from './files.js'
import { type HookAddress, PERSONAL_SETTINGS, plansOf } from './plans.js'
import { hookProblems } from './switches.js'

/** Options for changing clients' settings. */
export interface ClientOptions {
  /** Removes escrow's entries. */
  readonly remove?: boolean
  /** The address of a hook server on this machine: Claude Code sends requests to it instead of starting a process. */
  readonly http?: string
}

/**
 * Plans the changes that add escrow to clients' settings, or remove it. Writes nothing.
 * @throws EscrowError `unsupported` for a file that cannot be read or edited safely, or an invalid address;
 * `access_denied` inside of a session.
 */
export function planClients(
  root: string,
  clients: readonly HostName[],
  { remove = false, http }: ClientOptions = {},
): ClientFile[] {
  assertOutsideSession()
  const hookServer = http === undefined || remove ? undefined : parseAddress(http, root)
  if (hookServer !== undefined) assertIgnoredByGit(root)
  const files = new Map<string, ClientFile>()
  for (const client of clients)
    for (const file of plansOf(client, root, remove, hookServer)) {
      const known = files.get(file.path)
      if (!known) files.set(file.path, file)
    }
  return [...files.values()].filter(({ before, after }) => before !== after)
}

/** Keeps only the origin of a printed address: its token is the person's, and lets its holder decide. */
function parseAddress(http: string, root: string): HookAddress {
  const url = URL.canParse(http) ? new URL(http) : undefined
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (!url || !isHere)
    throw new EscrowError('unsupported', `${http} is not the address of a server on this machine.`, {
      hint: "Give an address such as http://127.0.0.1:4270, as 'escrow serve' prints it.",
    })
  return { origin: url.origin, token: hookToken(root) }
}

/** The settings would contain a private token, so git must ignore them. */
function assertIgnoredByGit(root: string): void {
  const path = PERSONAL_SETTINGS
  if (isKeptByGit(root, path))
    throw new EscrowError(
      'unsupported',
      `git does not ignore ${path}, which would contain a token. Nothing was changed.`,
      {
        hint: `Add ${path} to .gitignore. If git tracks it, run 'git rm --cached' on it.`,
      },
    )
}

/** Writes the planned changes, unless a file has changed since. */
export function applyClients(root: string, files: readonly ClientFile[]): void {
  assertOutsideSession()
  for (const { path, before } of files)
    if (readText(root, path) !== before)
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

/**
 * Finds the clients that have settings here, and whether they have escrow's entries. Settings of a client with escrow's
 * entries are not a sign of another client.
 */
export function findClients(root: string): FoundClient[] {
  const found: FoundClient[] = []
  for (const client of HOSTS) {
    const isTaken = (path: string) =>
      found.some((other) => other.isEntered && profileOf(other.client).protectedNames.configures.includes(path))
    const present = profileOf(client).presence.filter((path) => existsSync(join(root, path)) && !isTaken(path))
    if (present.length === 0) continue
    const isEntered = hasAllEntries(root, client)
    const problems = isEntered ? hookProblems(root, client) : []
    const hasOnlyTexts = present.every((path) => isText(client, path))
    found.push({ client, isEntered, ...(problems.length > 0 && { problems }), ...(hasOnlyTexts && { hasOnlyTexts }) })
  }
  return found
}

/** True for a text that instructs the client's model, as CLAUDE.md does. */
function isText(client: HostName, path: string): boolean {
  return profileOf(client).protectedNames.instructs.includes(path.toLowerCase())
}

/** A client with settings in a workspace. */
export interface FoundClient {
  readonly client: HostName
  readonly isEntered: boolean
  /** Only texts for its model show that it is used. Everybody who clones a repository has them. */
  readonly hasOnlyTexts?: true
  /** Reasons in the client's settings why escrow's hooks would not run. */
  readonly problems?: readonly string[]
}

function hasAllEntries(root: string, client: HostName): boolean {
  try {
    return plansOf(client, root, false).every(({ before, after }) => before === after)
  } catch {
    return false
  }
}

function modeOf(file: string): number {
  return (lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777
}
