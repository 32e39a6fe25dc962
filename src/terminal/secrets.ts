import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { isWithin, type RelPath } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { SECRET_PLACES } from '../core/secrets.js'
import { holdsSecret } from './secret-variables.js'

/** Other places with what only we may read: keys, and the anchors of ledgers. */
function ourPlaces(env: NodeJS.ProcessEnv, home: string): string[] {
  return [
    join(env.XDG_STATE_HOME || join(home, '.local/state'), 'escrowfs'),
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'escrowfs'),
  ]
}

export interface HiddenPlace {
  readonly path: string
  readonly isDirectory: boolean
}

/** Places every command needs: nothing runs without them. */
const NEEDED = ['/', '/usr', '/bin', '/lib', '/lib64', '/etc', '/proc', '/dev']

/** What commands see of a machine's files outside the workspace: all but `hidden`, and of that `shown`. */
export interface Outlook {
  readonly hidden: readonly HiddenPlace[]
  readonly shown: readonly string[]
}

/**
 * The outlook a person's rules leave, secrets aside.
 * @param rules absolute paths, each with what all below it is.
 * @returns a path that cannot be hidden, in the place of an outlook, where there is one.
 */
export function outlookBy(rules: readonly { readonly path: string; readonly isClosed: boolean }[]): Outlook | string {
  const closed = rules.filter(({ isClosed }) => isClosed).map(({ path }) => path)
  const never = closed.find((path) => NEEDED.includes(path))
  if (never !== undefined) return never
  const shown = rules.filter(({ isClosed }) => !isClosed).map(({ path }) => path)
  return {
    hidden: [...secretPlaces(), ...closed.flatMap(placeAt)],
    shown: shown.flatMap(placeAt).map(({ path }) => path),
  }
}

/** By its physical path: what is laid over a link would be laid somewhere else, or nowhere. */
function placeAt(path: string): HiddenPlace[] {
  return existsSync(path) ? [{ path: realpathSync(path), isDirectory: statSync(path).isDirectory() }] : []
}

/** The places there are, absolute. */
function secretPlaces(env: NodeJS.ProcessEnv = process.env): HiddenPlace[] {
  // HOME may have been set to another place, and a command has but to know the real one.
  const homes = [...new Set([env.HOME || homedir(), userHome()])]
  return homes.flatMap((home) => {
    const listed = SECRET_PLACES.filter(
      ([path, , onlyWith]) => onlyWith === undefined || onlyWith.test(textOf(join(home, path))),
    )
    return [...listed.map(([path]) => join(home, path)), ...ourPlaces(env, home)].flatMap(placeAt)
  })
}

/** As the system has it; a user it does not know has none. */
function userHome(): string {
  try {
    return userInfo().homedir
  } catch {
    return homedir()
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The environment a command starts with: ours without secrets, then what was asked for. Throws `unsupported`. */
export function commandEnv(
  given: Readonly<Record<string, string | undefined>>,
  session: string,
  intent?: string,
): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name, value = '']) => !holdsSecret(name, value))
  const own = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache', npm_config_cache: '/tmp/.npm' }
  const all = { ...Object.fromEntries(kept), ...own, ...given, ESCROW_SESSION: session, ESCROW_INTENT_ID: intent }
  const set = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  for (const [name, value] of set)
    if (!/^[^=\0]+$/.test(name) || value.includes('\0'))
      throw new EscrowError('unsupported', `No program can be given a variable like ${JSON.stringify(name)}.`, {
        hint: 'A name has a character or more and no "=", and neither name nor value has a NUL.',
      })
  return Object.fromEntries(set)
}

/** A workspace that is a home directory, or has one in it: its secrets stay secret. */
export function secretsIn(root: string, { hidden }: Outlook): RelPath[] {
  const inside = hidden.filter(({ path }) => path !== root && isWithin(path, root))
  return inside.map(({ path }) => path.slice(root.length + 1) as RelPath)
}
