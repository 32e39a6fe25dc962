import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path'
import { isWithin, type RelPath } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { SECRET_PLACES, SYSTEM_SECRETS } from '../core/secrets.js'
import { HOME_HOSTS, type HomeHost, homeOf } from '../hosts/index.js'
import { userHome } from '../os/home.js'
import { stateDir } from '../os/state-dir.js'
import { holdsSecret } from './secret-variables.js'

/**
 * Our own private directories: sessions, verdicts, keys, and ledger anchors. The default locations count even if a
 * variable now points elsewhere, because another process may have a different environment.
 */
function ourPlaces(env: NodeJS.ProcessEnv, home: string): string[] {
  const { XDG_CONFIG_HOME: config = '' } = env
  return [
    ...[stateDir({ ...env, HOME: home }), stateDir({ HOME: home })],
    ...[...(isAbsolute(config) ? [config] : []), join(home, '.config')].map((base) => join(base, 'escrowfs')),
  ]
}

export interface HiddenPlace {
  readonly path: string
  readonly isDirectory: boolean
}

/** Paths that no command runs without. */
const NEEDED = ['/', '/usr', '/bin', '/lib', '/lib64', '/etc', '/proc', '/dev']

/** The files outside the workspace that commands see: everything but `hidden`, except what `shown` reveals below it. */
export interface Visibility {
  readonly hidden: readonly HiddenPlace[]
  readonly shown: readonly string[]
}

/**
 * Computes the visibility from a person's rules and the known secret places.
 * @param rules absolute paths, each with its tree open or closed.
 * @param client the client whose own login stays visible to it.
 * @returns the offending path instead, if a rule closes one that no command runs without.
 */
export function visibilityOf(
  rules: readonly { readonly path: string; readonly isClosed: boolean }[],
  client?: HomeHost,
): Visibility | string {
  const closed = rules.filter(({ isClosed }) => isClosed).map(({ path }) => path)
  const never = closed.find((path) => NEEDED.includes(path))
  if (never !== undefined) return never
  const openPaths = rules.filter(({ isClosed }) => !isClosed).map(({ path }) => path)
  return {
    hidden: [...secretPlaces(client), ...closed.flatMap(placeAt)],
    // No rule reveals the person's verdicts and keys.
    shown: openPaths.flatMap(placeAt).flatMap(({ path }) => (isWithin(path, physical(stateDir())) ? [] : [path])),
  }
}

/** By its physical path: a mount over a link would land on its target. */
function placeAt(path: string): HiddenPlace[] {
  return existsSync(path) ? [{ path: realpathSync(path), isDirectory: statSync(path).isDirectory() }] : []
}

/** The secret places that exist, as absolute paths. */
function secretPlaces(client: HomeHost | undefined, env: NodeJS.ProcessEnv = process.env): HiddenPlace[] {
  const logins = client === undefined ? [] : homeOf(client).logins
  // HOME may point elsewhere, but the real home of the user must be hidden too.
  const homes = [...new Set([env.HOME || homedir(), userHome()])]
  const ofHomes = homes.flatMap((home) => {
    const listed = SECRET_PLACES.filter(
      ([path, , onlyWith]) =>
        !logins.includes(path) && (onlyWith === undefined || onlyWith.test(textOf(join(home, path)))),
    )
    return [...listed.map(([path]) => join(home, path)), ...movedLogins(client, env), ...ourPlaces(env, home)].flatMap(
      placeAt,
    )
  })
  return [...ofHomes, ...SYSTEM_SECRETS.flatMap(([path]) => placeAt(path))]
}

/** Logins of clients whose directory is moved by a variable. */
function movedLogins(client: HomeHost | undefined, env: NodeJS.ProcessEnv): string[] {
  return HOME_HOSTS.filter((each) => each !== client).flatMap((each) => {
    const { variable, logins, state } = homeOf(each)
    const [moved, [first = '']] = [variable === undefined ? undefined : env[variable], state]
    if (moved === undefined || !isAbsolute(moved)) return []
    return logins.filter((path) => isWithin(path, first)).map((path) => join(moved, relative(first, path)))
  })
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The session data that a command finds in its environment. */
export interface CommandPlace {
  readonly session: string
  readonly root: string
  readonly intent?: string | undefined
}

/**
 * The environment of a command: ours without secrets, then the given variables.
 * @throws EscrowError `unsupported` for a name or value that no program can receive.
 */
export function commandEnv(
  variables: Readonly<Record<string, string | undefined>>,
  { session, root, intent }: CommandPlace,
): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name, value = '']) => !holdsSecret(name, value))
  const defaults = {
    PATH: searchPath(root),
    TMPDIR: '/tmp',
    XDG_CACHE_HOME: '/tmp/.cache',
    npm_config_cache: '/tmp/.npm',
  }
  const escrow = { ESCROW_SESSION: session, ESCROW_INTENT_ID: intent }
  const all = { ...Object.fromEntries(inherited), ...defaults, ...variables, ...escrow }
  const set = Object.entries({ ...all, ...gitSettings(all) }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  for (const [name, value] of set)
    if (!/^[^=\0]+$/.test(name) || value.includes('\0'))
      throw new EscrowError('unsupported', `This variable cannot be passed to a program: ${JSON.stringify(name)}.`, {
        hint: 'A name must not be empty or contain "="; name and value must not contain a NUL character.',
      })
  return Object.fromEntries(set)
}

/** Directories of the workspace come last in PATH, so that an agent's `node_modules/.bin/ls` does not shadow the system's. */
function searchPath(root: string, { PATH = '' }: NodeJS.ProcessEnv = process.env): string | undefined {
  const places = PATH.split(delimiter)
  const isInside = (place: string) => !isAbsolute(place) || isWithin(physical(place), root)
  const sorted = [...places.filter((place) => !isInside(place)), ...places.filter(isInside)].join(delimiter)
  return sorted === '' ? undefined : sorted
}

function physical(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

/**
 * Makes git ignore bare repositories, and run no automatic maintenance. Any directory with a repository's layout has settings that name programs, which `git status` in
 * it would start. A `.git`, which git still accepts, cannot be created by an agent.
 */
function gitSettings(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const count = Number(env.GIT_CONFIG_COUNT ?? 0)
  const isWhole = Number.isInteger(count) && count > 0 && count < MAX_GIT_SETTINGS
  const known = isWhole
    ? Array.from({ length: count }, (_, at) => [`GIT_CONFIG_KEY_${at}`, `GIT_CONFIG_VALUE_${at}`])
    : []
  // Git refuses to run if one of the counted variables is missing.
  const at = known.flat().every((name) => env[name] !== undefined) ? known.length : 0
  const numbered = GIT_SETTINGS.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${at + index}`, key] as const,
    [`GIT_CONFIG_VALUE_${at + index}`, value] as const,
  ])
  return Object.fromEntries([['GIT_CONFIG_COUNT', `${at + GIT_SETTINGS.length}`], ...numbered])
}

/**
 * Makes `git push` fail in a command without network, with an error that says who can push. Git prints the name of the missing
 * helper: `git: 'remote-a-person-has-to-push-after-escrow-commit' is not a git command`.
 */
export function withoutPush(env: Readonly<Record<string, string>>): Record<string, string> {
  const at = Number(env.GIT_CONFIG_COUNT)
  const key = 'url.a-person-has-to-push-after-escrow-commit::.pushInsteadOf'
  const setting = { GIT_CONFIG_COUNT: `${at + 1}`, [`GIT_CONFIG_KEY_${at}`]: key, [`GIT_CONFIG_VALUE_${at}`]: '' }
  return Object.assign({}, env, setting)
}

/** Git's automatic maintenance would copy the whole repository into the layer. */
const GIT_SETTINGS = [
  ['safe.bareRepository', 'explicit'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
] as const
const MAX_GIT_SETTINGS = 100

/** The hidden places inside the workspace, for a workspace that is or contains a home directory. */
export function secretsIn(root: string, { hidden }: Visibility): RelPath[] {
  const inside = hidden.filter(({ path }) => path !== root && isWithin(path, root))
  return inside.map(({ path }) => path.slice(root.length + 1) as RelPath)
}
