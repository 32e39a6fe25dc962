import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path'
import { isWithin, type RelPath } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { SECRET_PLACES } from '../core/secrets.js'
import { userHome } from '../host/home.js'
import { stateDir } from '../host/state-dir.js'
import { HOME_HOSTS, type HomeHost, homeOf } from '../hosts/index.js'
import { holdsSecret } from './secret-variables.js'

/**
 * Other places with what only we may read: sessions, verdicts, keys, and the anchors of ledgers. What lies where a variable does not lead now is
 * ours as well: another process has the variable otherwise.
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

/** Places every command needs: nothing runs without them. */
const NEEDED = ['/', '/usr', '/bin', '/lib', '/lib64', '/etc', '/proc', '/dev']

/** What commands see of a machine's files outside the workspace: all but `hidden`, and of that `shown`. */
export interface Visibility {
  readonly hidden: readonly HiddenPlace[]
  readonly shown: readonly string[]
}

/**
 * The outlook a person's rules leave, secrets aside.
 * @param rules absolute paths, each with what all below it is.
 * @param client whose own login is open to it.
 * @returns a path that cannot be hidden, in the place of an outlook, where there is one.
 */
export function visibilityOf(
  rules: readonly { readonly path: string; readonly isClosed: boolean }[],
  client?: HomeHost,
): Visibility | string {
  const closed = rules.filter(({ isClosed }) => isClosed).map(({ path }) => path)
  const never = closed.find((path) => NEEDED.includes(path))
  if (never !== undefined) return never
  const shown = rules.filter(({ isClosed }) => !isClosed).map(({ path }) => path)
  return {
    hidden: [...secretPlaces(client), ...closed.flatMap(placeAt)],
    // No rule shows a command the verdicts and keys of the person.
    shown: shown.flatMap(placeAt).flatMap(({ path }) => (isWithin(path, physical(stateDir())) ? [] : [path])),
  }
}

/** By its physical path: what is laid over a link would be laid somewhere else, or nowhere. */
function placeAt(path: string): HiddenPlace[] {
  return existsSync(path) ? [{ path: realpathSync(path), isDirectory: statSync(path).isDirectory() }] : []
}

/** The places there are, absolute. */
function secretPlaces(client: HomeHost | undefined, env: NodeJS.ProcessEnv = process.env): HiddenPlace[] {
  const own = client === undefined ? [] : homeOf(client).logins
  // HOME may have been set to another place, and a command has but to know the real one.
  const homes = [...new Set([env.HOME || homedir(), userHome()])]
  return homes.flatMap((home) => {
    const listed = SECRET_PLACES.filter(
      ([path, , onlyWith]) =>
        !own.includes(path) && (onlyWith === undefined || onlyWith.test(textOf(join(home, path)))),
    )
    return [...listed.map(([path]) => join(home, path)), ...movedLogins(client, env), ...ourPlaces(env, home)].flatMap(
      placeAt,
    )
  })
}

/** Logins of clients whose directory a variable puts elsewhere. */
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

/** What a command is told of itself. */
export interface CommandPlace {
  readonly session: string
  readonly root: string
  readonly intent?: string | undefined
}

/** The environment a command starts with: ours without secrets, then what was asked for. Throws `unsupported`. */
export function commandEnv(
  given: Readonly<Record<string, string | undefined>>,
  { session, root, intent }: CommandPlace,
): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name, value = '']) => !holdsSecret(name, value))
  const own = { PATH: searchPath(root), TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache', npm_config_cache: '/tmp/.npm' }
  const told = { ESCROW_SESSION: session, ESCROW_INTENT_ID: intent }
  const all = { ...Object.fromEntries(kept), ...own, ...given, ...told }
  const set = Object.entries({ ...all, ...gitSettings(all) }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  for (const [name, value] of set)
    if (!/^[^=\0]+$/.test(name) || value.includes('\0'))
      throw new EscrowError('unsupported', `No program can be given a variable like ${JSON.stringify(name)}.`, {
        hint: 'A name has a character or more and no "=", and neither name nor value has a NUL.',
      })
  return Object.fromEntries(set)
}

/** Places of the workspace come last: a program an agent puts there (`node_modules/.bin/ls`) takes no other's place. */
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
 * A directory that looks like a repository, by whatever name, has settings that name programs, and any `git status` in it would
 * start them: git is told to take none but a `.git`, which no agent can make.
 */
function gitSettings(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Number(env.GIT_CONFIG_COUNT ?? 0)
  const isWhole = Number.isInteger(given) && given > 0 && given < MOST_SETTINGS
  const known = isWhole
    ? Array.from({ length: given }, (_, at) => [`GIT_CONFIG_KEY_${at}`, `GIT_CONFIG_VALUE_${at}`])
    : []
  // Without one of them git does nothing but complain.
  const at = known.flat().every((name) => env[name] !== undefined) ? known.length : 0
  const [key, value] = ['safe.bareRepository', 'explicit']
  return { GIT_CONFIG_COUNT: `${at + 1}`, [`GIT_CONFIG_KEY_${at}`]: key, [`GIT_CONFIG_VALUE_${at}`]: value }
}

const MOST_SETTINGS = 100

/** A workspace that is a home directory, or has one in it: its secrets stay secret. */
export function secretsIn(root: string, { hidden }: Visibility): RelPath[] {
  const inside = hidden.filter(({ path }) => path !== root && isWithin(path, root))
  return inside.map(({ path }) => path.slice(root.length + 1) as RelPath)
}
