import { readdirSync, readFileSync } from 'node:fs'
import { asRelPath, codeOf, digest } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { newId } from '../core/ids.js'
import { isDiskFull } from '../os/disk-full.js'
import { createFile, ensurePrivateDir, removeTree, replaceDurable } from '../os/write.js'
import type { RefusedEffect } from './apply-effects.js'
import type { Effect } from './effects.js'
import { type Quarantined, quarantinedList } from './quarantine-schema.js'

/** An entry with the directory that holds it. */
export interface QuarantinedFile extends Quarantined {
  readonly place: string
}

/** Bytes of content to keep per command. */
const MAX_CONTENT = 256 << 20
/** The most paths that a message names. */
const MAX_NAMED = 12

/**
 * Keeps refused effects in a new directory below `dir`: `refused.json`, and the contents by digest. Creates nothing for an empty list.
 */
export function quarantine(dir: string, refused: readonly RefusedEffect[], intent?: string): void {
  if (refused.length === 0) return
  const place = `${dir}/${new Date().toISOString().replace(/[:.]/g, '-')}-${newId().slice(0, 8)}`
  try {
    ensurePrivateDir(place)
    createFile(`${place}/${LIST}`, textOf(keepAll(place, refused, intent)), 0o600, true)
  } catch (error) {
    removeTree(place)
    if (!isDiskFull(error)) throw error
    throw new EscrowError(
      'limit_exceeded',
      `No space is left on the disk of ${dir}, so changes of the command are lost: ${firstOf(refused)}.`,
      {
        hint: 'Free space there, then run the command again.',
        refused: refused.map(({ path, reason, message }) => ({ path, reason, message })),
        cause: error,
      },
    )
  }
}

/** Writes the contents below `place`. Returns the list of all. */
function keepAll(place: string, refused: readonly RefusedEffect[], intent: string | undefined): Quarantined[] {
  let remaining = MAX_CONTENT
  const kept = new Set<string>()
  const keep = (effect: RefusedEffect['effect']): string | undefined => {
    const data = effect.kind === 'file' && effect.size <= remaining ? contentOf(effect) : undefined
    if (data === undefined) return undefined
    const name = digest(data).replace(':', '-')
    if (!kept.has(name) && !hasRoomFor(`${place}/${name}`, data)) return undefined
    kept.add(name)
    remaining -= data.length
    return name
  }
  return refused.map(({ path, reason, message, effect }): Quarantined => {
    const content = keep(effect)
    return {
      path: asRelPath(path),
      kind: effect.kind,
      reason,
      message,
      ...defined({ intent }),
      ...('mode' in effect && { mode: effect.mode }),
      ...('size' in effect && { size: effect.size }),
      ...(effect.kind === 'symlink' && { target: effect.target }),
      ...defined({ content }),
    }
  })
}

/** The first paths, for a message. */
function firstOf(refused: readonly RefusedEffect[]): string {
  const names = refused.slice(0, MAX_NAMED).map(({ path }) => path)
  const more = refused.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Writes a content. Returns false if the disk is full: the effect is then listed without it. */
function hasRoomFor(path: string, data: Buffer): boolean {
  try {
    createFile(path, data, 0o600, false)
    return true
  } catch (error) {
    if (!isDiskFull(error)) throw error
    return false
  }
}

/** An unreadable file is listed without its content, so that the rest of the list is kept. */
function contentOf({ read }: Extract<Effect, { kind: 'file' }>): Buffer | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const LIST = 'refused.json'

function textOf(list: readonly Quarantined[]): string {
  return `${JSON.stringify(list, null, 2)}\n`
}

/** Lists the refused effects below `dir`, oldest first. @throws EscrowError `unsupported` for an invalid list. */
export function listQuarantined(dir: string): QuarantinedFile[] {
  return placesIn(dir).flatMap((name) => {
    const place = `${dir}/${name}`
    return listOf(place).map((each) => ({ ...each, place }))
  })
}

function placesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/**
 * A directory without a list remains from a process that was killed while it created the directory. Nothing refers to
 * it.
 */
function listOf(place: string): Quarantined[] {
  let text: string
  try {
    text = readFileSync(`${place}/${LIST}`, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
  try {
    return quarantinedList.parse(JSON.parse(text))
  } catch (error) {
    throw new EscrowError('unsupported', `${place}/${LIST} cannot be parsed.`, { cause: error })
  }
}

/** The effect of an entry; undefined if it cannot be staged. */
export function effectOf({
  place,
  path,
  kind,
  mode = 0o644,
  size,
  target,
  content,
}: QuarantinedFile): Effect | undefined {
  if (kind === 'gone') return { kind, path }
  if (kind === 'dir') return { kind, path, mode, isNew: true }
  if (kind === 'symlink' && target !== undefined) return { kind, path, target }
  if (kind !== 'file' || content === undefined) return undefined
  const read = () => readFileSync(`${place}/${content}`)
  return { kind, path, mode, size: size ?? read().length, ino: 0, stamp: content, read }
}

/** Removes entries. A content is removed with its last entry. */
export function discardQuarantined(gone: readonly QuarantinedFile[]): void {
  for (const place of new Set(gone.map((each) => each.place))) {
    const paths = new Set(gone.filter((each) => each.place === place).map(({ path }) => path))
    const list = listOf(place)
    const remaining = list.filter(({ path }) => !paths.has(path))
    if (remaining.length === 0) {
      removeTree(place)
      continue
    }
    replaceDurable(`${place}/${LIST}`, textOf(remaining), 0o600)
    const needed = new Set(remaining.map(({ content }) => content))
    for (const { content } of list) if (content !== undefined && !needed.has(content)) removeTree(`${place}/${content}`)
  }
}
