import fs from 'node:fs'
import { Errno } from './errno.js'

declare const relative: unique symbol
/**
 * A path inside the workspace: relative to the root, `/` between segments, no empty, `.` or `..` segment; `''` is the
 * root. Only the functions here make one, so an unchecked path cannot reach a layer.
 */
export type RelPath = string & { readonly [relative]: true }

/** The workspace's root. */
export const ROOT = '' as RelPath

/** The longest name and path of the disks we support, in bytes (Linux NAME_MAX, PATH_MAX less the NUL). */
const NAME_MAX = 255
const PATH_MAX = 4095

/** Returns the path of a name in a directory. The name is one plain segment. */
export function childOf(dir: RelPath, name: string): RelPath {
  return (dir === '' ? name : `${dir}/${name}`) as RelPath
}

/** Returns a path's directory; the root's is the root. */
export function parentOf(path: RelPath): RelPath {
  const slash = path.lastIndexOf('/')
  return (slash < 0 ? '' : path.slice(0, slash)) as RelPath
}

/** Returns a path's last segment; the root's is empty. */
export function nameOf(path: RelPath): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Returns whether `path` is `dir` or below it. */
export function isWithin(path: string, dir: string): boolean {
  return dir === '' || path === dir || (path.length > dir.length && path[dir.length] === '/' && path.startsWith(dir))
}

/** Returns every directory above a path, nearest first, without the root. */
export function ancestorsOf(path: RelPath): RelPath[] {
  const result: RelPath[] = []
  for (let dir = parentOf(path); dir !== ''; dir = parentOf(dir)) result.push(dir)
  return result
}

/** Checks a path of our own (from a log, a journal, a directory walk). Throws EINVAL on any other. */
export function asRelPath(text: string): RelPath {
  if (text !== '' && !isClean(text)) throw new Errno('EINVAL')
  return text as RelPath
}

/**
 * Returns a path argument as text. Strings, Buffers (strict UTF-8) and `file:` URLs; anything else fails as Node fails.
 * Throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE (NUL), EILSEQ (not UTF-8), ENAMETOOLONG.
 */
export function pathText(input: unknown): string {
  if (typeof input === 'string' && !input.includes('\0')) return checkLength(checkEncoding(input))
  if (input instanceof Uint8Array) return bufferText(input)
  if (input instanceof URL && input.protocol === 'file:') return checkLength(hostPathOf(input))
  throw hostArgumentError(input)
}

/** A lone surrogate has no UTF-8: the host would write another name, and two names would be one file. */
function checkEncoding(text: string): string {
  if (!text.isWellFormed()) throw new Errno('EILSEQ')
  return text
}

function checkLength(text: string): string {
  if (text.length > PATH_MAX / 3 && Buffer.byteLength(text) > PATH_MAX) throw new Errno('ENAMETOOLONG')
  return text
}

function bufferText(input: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input)
  } catch {
    throw new Errno('EILSEQ')
  }
  if (text.includes('\0')) throw hostArgumentError(input)
  return checkLength(text)
}

function hostPathOf(url: URL): string {
  const path = decodeURIComponent(url.pathname)
  if (url.host !== '' || /%2f/i.test(url.pathname) || path.includes('\0')) throw hostArgumentError(url)
  return path
}

/** The host's own error for a bad path argument, which the host itself throws. */
function hostArgumentError(input: unknown): unknown {
  try {
    fs.lstatSync(input as string)
  } catch (error) {
    return error
  }
  return new Errno('EINVAL')
}

/** Returns whether a relative path has no empty, `.` or `..` segments and no slash at either end. */
export function isClean(text: string): boolean {
  if (text === '' || text.charCodeAt(0) === 47 || text.charCodeAt(text.length - 1) === 47) return false
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    if (i < text.length && text.charCodeAt(i) !== 47) continue
    const length = i - start
    if (length === 0) return false
    if (text.charCodeAt(start) === 46 && (length === 1 || (length === 2 && text.charCodeAt(start + 1) === 46)))
      return false
    start = i + 1
  }
  return true
}

/** Throws ENAMETOOLONG for a name that no supported disk can hold. */
export function checkName(name: string): void {
  if (name.length > NAME_MAX / 3 && Buffer.byteLength(name) > NAME_MAX) throw new Errno('ENAMETOOLONG')
}

/**
 * Normalises segments lexically: `..` removes the segment before it.
 * Returns undefined when the path leaves the root.
 */
export function lexical(text: string): string | undefined {
  if (text === '' || isClean(text)) return text
  const segments: string[] = []
  for (const segment of text.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.join('/')
}
