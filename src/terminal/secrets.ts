import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { SECRET_PLACES } from '../core/secrets.js'

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
  return { hidden: [...secretPlaces(), ...closed.flatMap(placeAt)], shown: shown.filter((path) => existsSync(path)) }
}

function placeAt(path: string): HiddenPlace[] {
  return existsSync(path) ? [{ path, isDirectory: statSync(path).isDirectory() }] : []
}

/** The places there are, absolute. */
function secretPlaces(env: NodeJS.ProcessEnv = process.env): HiddenPlace[] {
  const home = env.HOME || homedir()
  const listed = SECRET_PLACES.filter(
    ([path, , onlyWith]) => onlyWith === undefined || onlyWith.test(textOf(join(home, path))),
  )
  return [...listed.map(([path]) => join(home, path)), ...ourPlaces(env, home)].flatMap(placeAt)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Names of variables that hold secrets, or lead to who does. */
const SECRET_NAME =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PRIVATE_?KEY|API_?KEY|ACCESS_?KEY(_ID)?|AUTH)(_|$)|^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS|XAUTHORITY|NODE_OPTIONS|LD_PRELOAD|DATABASE_URL|PGPASSWORD|MYSQL_PWD)$|^ESCROW_/i

/** The environment a command starts with: ours without secrets, then what was asked for. */
export function commandEnv(
  given: Readonly<Record<string, string | undefined>>,
  session: string,
): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !SECRET_NAME.test(name))
  const own = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache', npm_config_cache: '/tmp/.npm' }
  const all = { ...Object.fromEntries(kept), ...own, ...given, ESCROW_SESSION: session }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
