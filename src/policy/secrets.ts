import { homedir } from 'node:os'
import { isWithin } from '../../overlay/index.js'
import { NO_SECRETS, SECRET_NAMES, SECRET_PLACES, SYSTEM_SECRETS } from '../core/secrets.js'
import { foldSegment } from './protected.js'

/** A path that contains secrets, judged by its name or its location. */
export interface Secret {
  /** The secret path: the requested one or an ancestor. */
  readonly path: string
  readonly why: string
}

const exact = new Map(SECRET_NAMES.filter(([name]) => !name.includes('*')))
const suffixes = SECRET_NAMES.filter(([name]) => name.startsWith('*')).map(
  ([name, why]) => [name.slice(1), why] as const,
)
const prefixes = SECRET_NAMES.filter(([name]) => name.endsWith('*')).map(
  ([name, why]) => [name.slice(0, -1), why] as const,
)
const notSecret = new Set(NO_SECRETS)

/** A pre-filter that matches every secret name. Most paths fail it. */
const CANDIDATE = new RegExp(
  [...exact.keys(), ...suffixes.map(([end]) => end), ...prefixes.map(([begin]) => begin)]
    .map((text) => text.replaceAll('.', '\\.'))
    .join('|'),
)

/** Why a file or directory of this name may contain secrets; undefined for an ordinary name. */
export function secretName(name: string): string | undefined {
  const folded = foldSegment(name)
  if (notSecret.has(folded)) return undefined
  const ending = suffixes.find(([end]) => folded.endsWith(end) && folded.length > end.length)
  return exact.get(folded) ?? ending?.[1] ?? prefixes.find(([begin]) => folded.startsWith(begin))?.[1]
}

/** The topmost secret of a path, which is relative to the root or absolute. */
export function secretIn(path: string): Secret | undefined {
  if (path.startsWith('/')) return systemSecretOf(path) ?? secretPlaceOf(path) ?? matchSecret(path)
  return matchSecret(path)
}

/** Paths of ordinary files beside a secret. A rule that covers one of them is for a directory or for any names, and names no secret. */
export function ordinaryBeside(path: string): string[] {
  const directory = path.slice(0, path.lastIndexOf('/') + 1)
  return ['x0', 'x0.x0', '.x0'].map((name) => directory + name)
}

/** The rules of policy.yaml that open secrets, as a phrase. */
export function openedBy(secrets: readonly Secret[]): string {
  return ['access', 'outside']
    .map((section) => [section, secrets.filter(({ path }) => sectionOf(path) === section)] as const)
    .filter(([, found]) => found.length > 0)
    .map(([section, found]) => {
      const keys = new Set(found.map(({ path }) => `${JSON.stringify(path)}: allow`))
      return `\`${section}: { ${[...keys].join(', ')} }\``
    })
    .join(' and ')
}

function sectionOf(path: string): string {
  return path.startsWith('/') ? 'outside' : 'access'
}

function matchSecret(path: string): Secret | undefined {
  // Non-ASCII letters may fold to ASCII.
  if (!CANDIDATE.test(path.toLowerCase()) && !/[^\0-\x7f]/.test(path)) return undefined
  const segments = path.split('/')
  for (let at = 0; at < segments.length; at++) {
    const why = secretName(segments[at] ?? '')
    if (why !== undefined) return { path: segments.slice(0, at + 1).join('/'), why }
  }
  return undefined
}

function systemSecretOf(path: string): Secret | undefined {
  if (!path.startsWith('/etc/')) return undefined
  const found = SYSTEM_SECRETS.find(([place]) => isWithin(path, place))
  return found && { path: found[0], why: found[1] }
}

function secretPlaceOf(path: string): Secret | undefined {
  const home = homedir()
  if (!isWithin(path, home)) return undefined
  // A place that is secret only by its content is not matched by name.
  const place = SECRET_PLACES.find(
    ([below, , onlyWith]) => onlyWith === undefined && isWithin(path, `${home}/${below}`),
  )
  return place && { path: `${home}/${place[0]}`, why: place[1] }
}
