import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { codeOf, sha256hex } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { editJson, parseJsonc } from '../os/json-edit.js'
import { isLink, readSmall } from '../os/read.js'
import { FORMER_FILES } from './texts.js'

/** A file of a client's settings before and after the change; undefined if it does not exist. */
export interface ClientFile {
  /** Relative to the root. */
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly isProgram?: true
  /** Only its user may read it. */
  readonly isSecret?: true
}

export type Fields = Readonly<Record<string, unknown>>

const MAX_BYTES = 1 << 20

/** The dialect that the client's own JSON parser accepts. */
export type JsonDialect = 'json' | 'jsonc'

/**
 * Plans the change of a file with a JSON object. Only the changed bytes differ. A file that escrow created is removed with its last entry.
 * @param dialect with `jsonc`, comments and trailing commas are kept
 */
export function jsonFile(
  root: string,
  path: string,
  change: (settings: Fields) => Fields,
  dialect: JsonDialect = 'json',
): ClientFile {
  const before = readText(root, path)
  if (before === undefined) {
    const created = change({})
    return { path, before, after: Object.keys(created).length === 0 ? undefined : formatSettings(created) }
  }
  const settings = parseSettings(before, path, dialect)
  const changed = change(settings)
  if (isDeepStrictEqual(changed, settings)) return { path, before, after: before }
  const isCreatedByUs = Object.keys(changed).length === 0 && before === formatSettings(settings)
  return { path, before, after: isCreatedByUs ? undefined : editJson(before, changed) }
}

/** The text of a new file. */
function formatSettings(settings: Fields): string {
  return `${JSON.stringify(settings, null, 2)}\n`
}

/** Plans a file that belongs to escrow as a whole. */
export function ownedFile(root: string, path: string, text: string, remove: boolean, why: string): ClientFile {
  const before = readText(root, path)
  const isFormer = before !== undefined && FORMER_FILES.includes(sha256hex(before))
  if (before !== undefined && before !== text && !isFormer) {
    if (remove) return { path, before, after: before }
    throw cannotEdit(path, `is ${why}`)
  }
  return { path, before, after: remove ? undefined : text }
}

/** escrow's lines at the end of a person's file, and the lines of earlier versions that they replace. */
interface Block {
  readonly block: string
  readonly former: readonly string[]
}

/** @param conflicting matches entries that would contradict the block */
export function blockFile(
  root: string,
  path: string,
  { block, former }: Block,
  remove: boolean,
  conflicting: RegExp,
): ClientFile {
  const before = readText(root, path)
  const ours = [block, ...former].find((each) => before?.includes(each))
  const others = (before ?? '').replace(ours ?? '', '')
  const after = ours === undefined ? '' : before?.slice(before.indexOf(ours) + ours.length)
  if ((remove || ours !== block) && SETTING.test(after ?? ''))
    throw cannotEdit(path, "has settings of your own in escrow's table")
  if (remove) return { path, before, after: others === '' ? undefined : others }
  if (conflicting.test(others)) throw cannotEdit(path, 'has an entry named `escrow` that escrow did not write')
  if (before?.includes(block)) return { path, before, after: before }
  const separator = others === '' || others.endsWith('\n') ? '' : '\n'
  return { path, before, after: `${others}${separator}${block}` }
}

/** Matches text that continues a table: a setting, perhaps after comments and blank lines. */
const SETTING = /^(?:\s*#[^\n]*\n)*\s*[^\s#[]/

export function readText(root: string, path: string): string | undefined {
  for (let name = path; name !== '.'; name = dirname(name))
    if (isLink(join(root, name))) throw cannotEdit(name, 'is a link')
  try {
    return readSmall(join(root, path), MAX_BYTES)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw cannotEdit(path, `cannot be read (${codeOf(error)})`)
  }
}

/** Sets a key's value, or deletes the key if the value is empty. */
export function setOrDelete(settings: Fields, key: string, value: Fields): Fields {
  const { [key]: _, ...others } = settings
  return Object.keys(value).length === 0 ? others : { ...settings, [key]: value }
}

export function objectAt(settings: Fields, key: string, path: string): Fields {
  const value = settings[key] ?? {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value))
  throw cannotEdit(path, `has a \`${key}\` that is not an object`)
}

function parseSettings(text: string, path: string, dialect: JsonDialect): Fields {
  let value: unknown
  try {
    value = dialect === 'json' ? JSON.parse(text) : parseJsonc(text)
  } catch (error) {
    const kind = dialect === 'json' ? 'plain JSON' : 'JSON'
    throw cannotEdit(path, `is no ${kind} (${errorText(error)})`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value))
  throw cannotEdit(path, 'does not contain a JSON object')
}

export function cannotEdit(path: string, why: string): EscrowError {
  return new EscrowError('unsupported', `${path} ${why}, so escrow leaves it alone. Nothing was changed.`, {
    hint: 'Correct it or move it away, or add escrow by hand (see docs/hosts).',
  })
}
