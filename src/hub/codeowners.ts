import { compileGlob } from '../review/index.js'
import { HubError } from './hub-error.js'

/** The owners of paths, by the rules of GitHub's file CODEOWNERS: the last line that matches a path applies. */
export interface Codeowners {
  /** The owners of a path, as the file writes them. Empty: nobody owns it. */
  ownersOf(path: string): readonly string[]
  /** Whether a line names this owner. GitHub ignores case in names. */
  names(owner: string): boolean
}

interface Line {
  readonly owners: readonly string[]
  matches(path: string): boolean
}

/** GitHub reads no larger file. We keep each version in the database. */
const MAX_BYTES = 256 * 1024
const MAX_LINES = 2_000
/** `@name`, `@organisation/team` or an e-mail address. */
const OWNER = /^(?:@[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)?|[^@\s]+@[^@\s]+)$/
/**
 * GitHub supports no negation and no classes, and ignores a line with one. The other characters have another meaning in
 * our matcher.
 */
const UNSUPPORTED = /[[\]{}()|!"\\]/

/**
 * Reads a file CODEOWNERS.
 * @throws HubError `invalid` for a line that GitHub would ignore, because nobody would own the paths that it should
 *   protect
 */
export function parseCodeowners(text: string): Codeowners {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new HubError('invalid', `A file CODEOWNERS has at most ${MAX_BYTES} bytes.`)
  const rows = text.split(/\r?\n/)
  if (rows.length > MAX_LINES) throw new HubError('invalid', `A file CODEOWNERS has at most ${MAX_LINES} lines.`)
  const lines = rows.flatMap((row, at) => parseLine(row, at + 1)).reverse()
  const all = new Set(lines.flatMap(({ owners }) => owners.map((owner) => owner.toLowerCase())))
  return {
    ownersOf: (path) => lines.find((line) => line.matches(path))?.owners ?? [],
    names: (owner) => all.has(owner.toLowerCase()),
  }
}

function parseLine(row: string, number: number): Line[] {
  const fields = row.replace(/(^|\s)#.*$/, '').match(/(?:\\ |\S)+/g) ?? []
  const [pattern, ...owners] = fields.map((word) => word.replaceAll('\\ ', ' '))
  if (pattern === undefined) return []
  const wrong = owners.find((owner) => !OWNER.test(owner))
  if (wrong !== undefined)
    throw refusal(number, `${wrong} is not an owner: write @name, @organisation/team or an address`)
  const glob = globOf(pattern)
  const isMatch = UNSUPPORTED.test(pattern) || glob === undefined ? undefined : compileGlob(glob)
  if (glob === undefined || isMatch === undefined) throw refusal(number, `the pattern ${pattern} is not supported`)
  const start = plainStartOf(glob)
  return [{ owners, matches: (path) => `${path}/`.startsWith(start) && isMatch(path) }]
}

/** The segments before the first wildcard. Most lines of a large file begin with some, and comparing them is quick. */
function plainStartOf(glob: string): string {
  const segments = glob.split('/')
  const wild = segments.findIndex((segment) => /[*?]/.test(segment))
  return segments
    .slice(0, wild === -1 ? undefined : wild)
    .map((segment) => `${segment}/`)
    .join('')
}

function refusal(line: number, problem: string): HubError {
  return new HubError('invalid', `Line ${line} of CODEOWNERS: ${problem}. Nothing was changed.`)
}

/** Converts a pattern to a glob of the whole path. A directory's pattern matches everything below it, `docs/*` only the files directly in it. */
function globOf(pattern: string): string | undefined {
  const isDirectory = pattern.endsWith('/')
  const body = pattern.replace(/^\//, '').replace(/\/$/, '')
  if (body === '') return undefined
  const isAnchored = pattern.slice(0, isDirectory ? -1 : undefined).includes('/')
  const base = isAnchored ? body : `**/${body}`
  if (isDirectory || /(?:^|\/)\*\*$/.test(base)) return `${base.replace(/\/?\*\*$/, '') || '**'}/**/*`
  return isAnchored && /(?:^|\/)\*$/.test(body) ? base : `${base}/**`
}
