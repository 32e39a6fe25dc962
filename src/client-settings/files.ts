import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { codeOf, sha256hex } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { editJson, parseJsonc } from '../os/json-edit.js'
import { isLink, readSmall } from '../os/read.js'
import { FORMER_FILES } from './texts.js'

/** One file of a client's settings as it is, and as it is going to be; undefined where there is none. */
export interface ClientFile {
  /** Relative to the root. */
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly isProgram?: true
  /** For its user's eyes alone. */
  readonly isSecret?: true
}

export type Fields = Readonly<Record<string, unknown>>

const MAX_BYTES = 1 << 20

/** What a client's own parser of JSON takes. */
export type JsonDialect = 'json' | 'jsonc'

/**
 * A file of JSON, an object. Only the bytes of what changes are changed. A file that we made goes away with the last of our settings.
 * @param dialect with `jsonc`, comments and commas behind the last entry are kept
 */
export function jsonFile(
  root: string,
  path: string,
  change: (settings: Fields) => Fields,
  dialect: JsonDialect = 'json',
): ClientFile {
  const before = textAt(root, path)
  if (before === undefined) {
    const made = change({})
    return { path, before, after: Object.keys(made).length === 0 ? undefined : madeOf(made) }
  }
  const settings = parseSettings(before, path, dialect)
  const changed = change(settings)
  if (isDeepStrictEqual(changed, settings)) return { path, before, after: before }
  const isOurs = Object.keys(changed).length === 0 && before === madeOf(settings)
  return { path, before, after: isOurs ? undefined : editJson(before, changed) }
}

/** The text of a file that was not there. */
function madeOf(settings: Fields): string {
  return `${JSON.stringify(settings, null, 2)}\n`
}

/** A file that is ours altogether. */
export function ownFile(root: string, path: string, text: string, remove: boolean, why: string): ClientFile {
  const before = textAt(root, path)
  const isFormer = before !== undefined && FORMER_FILES.includes(sha256hex(before))
  if (before !== undefined && before !== text && !isFormer) {
    if (remove) return { path, before, after: before }
    throw notOurs(path, `is ${why}`)
  }
  return { path, before, after: remove ? undefined : text }
}

/** Lines of ours at the end of a text that is a person's, and what an earlier version had in their place. */
interface Block {
  readonly block: string
  readonly former: string
}

/** @param rivals finds what would contradict our lines. */
export function blockFile(
  root: string,
  path: string,
  { block, former }: Block,
  remove: boolean,
  rivals: RegExp,
): ClientFile {
  const before = textAt(root, path)
  const others = (before ?? '').replace(block, '').replace(former, '')
  if (remove) return { path, before, after: others === '' ? undefined : others }
  if (rivals.test(others)) throw notOurs(path, 'has an entry named `escrow` that escrow did not write')
  if (before?.includes(block)) return { path, before, after: before }
  const gap = others === '' || others.endsWith('\n') ? '' : '\n'
  return { path, before, after: `${others}${gap}${block}` }
}

export function textAt(root: string, path: string): string | undefined {
  for (let name = path; name !== '.'; name = dirname(name))
    if (isLink(join(root, name))) throw notOurs(name, 'is a link')
  try {
    return readSmall(join(root, path), MAX_BYTES)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw notOurs(path, `cannot be read (${codeOf(error)})`)
  }
}

/** What is left of a key's value; without the key where nothing is. */
export function without(settings: Fields, key: string, left: Fields): Fields {
  const { [key]: _, ...others } = settings
  return Object.keys(left).length === 0 ? others : { ...settings, [key]: left }
}

export function fieldsAt(settings: Fields, key: string, path: string): Fields {
  const value = settings[key] ?? {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value))
  throw notOurs(path, `has a \`${key}\` that is not an object`)
}

function parseSettings(text: string, path: string, dialect: JsonDialect): Fields {
  let value: unknown
  try {
    value = dialect === 'json' ? JSON.parse(text) : parseJsonc(text)
  } catch (error) {
    const kind = dialect === 'json' ? 'plain JSON' : 'JSON'
    throw notOurs(path, `is no ${kind} (${errorText(error)})`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value))
  throw notOurs(path, 'does not contain a JSON object')
}

export function notOurs(path: string, why: string): EscrowError {
  return new EscrowError('unsupported', `${path} ${why}, so escrow leaves it alone. Nothing was changed.`, {
    hint: 'Correct it or move it away, or add escrow by hand (see docs/hosts).',
  })
}
