import { homedir } from 'node:os'
import { isWithin } from '../../overlay/index.js'
import { NO_SECRETS, SECRET_NAMES, SECRET_PLACES } from '../core/secrets.js'
import { foldSegment } from './protected.js'

/** What keeps secrets, by its name or its place. */
export interface Secret {
  /** The path of what is secret: the one asked for, or a directory it is in. */
  readonly path: string
  readonly why: string
}

const exact = new Map(SECRET_NAMES.filter(([name]) => !name.includes('*')))
const endings = SECRET_NAMES.filter(([name]) => name.startsWith('*')).map(
  ([name, why]) => [name.slice(1), why] as const,
)
const beginnings = SECRET_NAMES.filter(([name]) => name.endsWith('*')).map(
  ([name, why]) => [name.slice(0, -1), why] as const,
)
const shown = new Set(NO_SECRETS)

/** Every name that could be one has this in it: most paths are told by one look. */
const CANDIDATE = new RegExp(
  [...exact.keys(), ...endings.map(([end]) => end), ...beginnings.map(([begin]) => begin)]
    .map((text) => text.replaceAll('.', '\\.'))
    .join('|'),
)

/** Whether a file or directory of this name keeps secrets. */
export function secretName(name: string): string | undefined {
  const folded = foldSegment(name)
  if (shown.has(folded)) return undefined
  const ending = endings.find(([end]) => folded.endsWith(end) && folded.length > end.length)
  return exact.get(folded) ?? ending?.[1] ?? beginnings.find(([begin]) => folded.startsWith(begin))?.[1]
}

/** What is secret of a path (relative to the root, or absolute), the topmost first. */
export function secretIn(path: string): Secret | undefined {
  if (path.startsWith('/')) return placeIn(path) ?? matchSecret(path)
  return matchSecret(path)
}

function matchSecret(path: string): Secret | undefined {
  // Other letters may fold to these.
  if (!CANDIDATE.test(path.toLowerCase()) && !/[^\0-\x7f]/.test(path)) return undefined
  const segments = path.split('/')
  for (let at = 0; at < segments.length; at++) {
    const why = secretName(segments[at] ?? '')
    if (why !== undefined) return { path: segments.slice(0, at + 1).join('/'), why }
  }
  return undefined
}

function placeIn(path: string): Secret | undefined {
  const home = homedir()
  if (!isWithin(path, home)) return undefined
  // What is one by its text alone can be read like other files: its name says too little.
  const place = SECRET_PLACES.find(
    ([below, , onlyWith]) => onlyWith === undefined && isWithin(path, `${home}/${below}`),
  )
  return place && { path: `${home}/${place[0]}`, why: place[1] }
}
