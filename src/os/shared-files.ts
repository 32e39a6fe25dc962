/**
 * The only module that opens the files that people share by git: those of `.orchestration/`, and `.intentignore`. A
 * clone can bring any of them, made by anybody. So each is opened from the workspace's root, one component at a time,
 * and no link is followed. A link, a directory, a device or another user's file in its place is an error that names it.
 *
 * On Linux a directory is held open and its entries are addressed through `/proc/self/fd/N`: replacing it by a link
 * afterwards has no effect. Other systems have no such address. There each component is checked by name right before
 * its use, which leaves a moment for a swap.
 */
import { closeSync, existsSync, fstatSync, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { codeOf, fsError, openRegular } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { adviceFor } from '../core/errno-advice.js'
import { type Layout, ORCHESTRATION, type SharedFile } from '../core/layout.js'
import { openDirectory } from './read.js'
import { createDurable, extendFile, makeDir, openToExtend, replaceDurable, syncDir } from './write.js'

const HOLDS_DIRECTORIES = process.platform === 'linux' && existsSync('/proc/self/fd')

/**
 * Opens a file for reading. Throws ENOENT if there is none, EscrowError `path_escape` for anything but a plain file.
 */
export function openShared(file: SharedFile): number {
  return inParent(file, (address) => {
    try {
      return checkOwner(openRegular(address, false), file)
    } catch (error) {
      throw nameFile(error, file)
    }
  })
}

/** Returns a file's bytes. Throws as {@link openShared}, and EFBIG above `limit` bytes. */
export function readShared(file: SharedFile, limit = Number.POSITIVE_INFINITY): Buffer {
  const fd = openShared(file)
  try {
    if (fstatSync(fd).size > limit) throw fsError('EFBIG', 'open', `${file}`, undefined, `longer than ${limit} bytes`)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Returns whether the file's name is taken. A dangling link counts. */
export function sharedExists(file: SharedFile): boolean {
  return lookShared(file) !== undefined
}

/**
 * Returns the stats of the entry itself, a link's if it is one. Only for comparison with earlier stats: the parent directories
 * are not checked, so new content must be read by {@link openShared}.
 */
export function lookShared(file: SharedFile): Stats | undefined {
  try {
    return lstatSync(`${file}`, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/**
 * Returns the names in a directory, none if there is none. Throws EscrowError `path_escape` for anything but a directory.
 */
export function listShared(directory: SharedFile): string[] {
  try {
    return inDirectory(directory.root, directory.name, (address) => readdirSync(address))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Creates a file. Throws EEXIST if the name is taken. */
export function createShared(file: SharedFile, data: Uint8Array | string): void {
  inParent(file, (address) => createDurable(address, data, 0o644))
}

/**
 * Replaces a file by a rename, or creates it. Keeps its permission bits. Throws `path_escape` as {@link openShared}.
 */
export function replaceShared(file: SharedFile, data: Uint8Array | string): void {
  inParent(file, (address) => {
    const stats = lstatSync(address, { throwIfNoEntry: false })
    if (stats !== undefined) assertPlain(stats, file)
    replaceDurable(address, data, stats === undefined ? 0o644 : stats.mode & 0o777)
  })
}

/**
 * Writes bytes at `end` and truncates the file after them, see {@link extendFile}. Creates the file if it is absent.
 * @returns false, with nothing written, if its size is not `size`
 */
export function extendShared(file: SharedFile, data: Uint8Array, end: number, size = end): boolean {
  return inParent(file, (address) => {
    let fd: number
    try {
      fd = openToExtend(address)
    } catch (error) {
      throw nameFile(error, file)
    }
    try {
      assertPlain(fstatSync(fd), file)
      return extendFile(fd, data, end, size)
    } finally {
      closeSync(fd)
    }
  })
}

/** Makes the names in `.orchestration` durable. */
export function syncOrchestration({ root }: Pick<Layout, 'root'>): void {
  inDirectory(root, ORCHESTRATION, (address) => syncDir(address))
}

/** Returns whether there is a `.orchestration` directory. Throws EscrowError `path_escape` if the name is something else. */
export function hasOrchestration({ root, dir }: Pick<Layout, 'root' | 'dir'>): boolean {
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return false
  inDirectory(root, ORCHESTRATION, () => undefined)
  return true
}

/** Creates `.orchestration` if it is absent. Throws EscrowError `path_escape` if the name is something else. */
export function makeOrchestration(layout: Pick<Layout, 'root' | 'dir'>): void {
  if (hasOrchestration(layout)) return
  inDirectory(layout.root, '', (address) => makeDir(`${address}/${ORCHESTRATION}`))
}

/** Runs work with the address of a file in its parent directory, which is kept open during the work. */
function inParent<T>({ root, name }: SharedFile, work: (address: string) => T): T {
  const slash = name.lastIndexOf('/')
  const [parent, base] = slash < 0 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)]
  return inDirectory(root, parent, (address) => work(`${address}/${base}`))
}

/**
 * Runs work with the address of a directory below the root, which is kept open during the work.
 * Throws ENOENT if there is none, EscrowError `path_escape` if a component is a link, a file or another user's.
 */
export function inDirectory<T>(root: string, name: string, work: (address: string) => T): T {
  return HOLDS_DIRECTORIES ? inHeldDirectory(root, name, work) : inCheckedDirectory(root, name, work)
}

function inHeldDirectory<T>(root: string, name: string, work: (address: string) => T): T {
  let fd = openDirectory(root)
  let held = root
  try {
    const owner = fstatSync(fd).uid
    for (const segment of name === '' ? [] : name.split('/')) {
      const way = `${held}/${segment}`
      const next = openComponent(`/proc/self/fd/${fd}/${segment}`, way)
      closeSync(fd)
      fd = next
      held = way
      assertOwner(fstatSync(fd), owner, way)
    }
    return work(`/proc/self/fd/${fd}`)
  } catch (error) {
    throw withRealPaths(error, `/proc/self/fd/${fd}`, held)
  } finally {
    closeSync(fd)
  }
}

/** Puts a directory's path in place of its address in Node's error, with advice. Returns the error. */
function withRealPaths(error: unknown, address: string, directory: string): unknown {
  const code = codeOf(error)
  if (code === undefined || !(error instanceof Error)) return error
  const namedError = (text: unknown) =>
    typeof text === 'string' ? text.replaceAll(new RegExp(`${address}(?!\\d)`, 'g'), () => directory) : undefined
  const { path, dest } = { path: undefined, dest: undefined, ...error }
  const names = { message: namedError(error.message), path: namedError(path), dest: namedError(dest) }
  return Object.assign(error, defined(names), defined({ hint: adviceFor(error) }))
}

function openComponent(address: string, way: string): number {
  try {
    return openDirectory(address)
  } catch (error) {
    if (['ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) throw notADirectory(way, lstatSync(address))
    throw error
  }
}

function inCheckedDirectory<T>(root: string, name: string, work: (address: string) => T): T {
  const owner = lstatSync(root).uid
  let way = root
  for (const segment of name === '' ? [] : name.split('/')) {
    way = `${way}/${segment}`
    const stats = lstatSync(way)
    if (!stats.isDirectory()) throw notADirectory(way, stats)
    assertOwner(stats, owner, way)
  }
  return work(way)
}

/** Closes the descriptor if the owner is wrong. */
function checkOwner(fd: number, file: SharedFile): number {
  try {
    assertOwner(fstatSync(fd), lstatSync(file.root).uid, `${file}`)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function assertPlain(stats: Stats, file: SharedFile): void {
  if (!stats.isFile()) throw notAFile(file, stats)
  assertOwner(stats, lstatSync(file.root).uid, `${file}`)
}

/** The person's own files and root's are accepted; for root, also those of the workspace's owner. */
function assertOwner({ uid }: Stats, rootOwner: number, path: string): void {
  const self = process.geteuid?.()
  if (self === undefined || uid === self || uid === 0 || (self === 0 && uid === rootOwner)) return
  throw new EscrowError('path_escape', `${path} belongs to another user (uid ${uid}), so it is not used.`, {
    hint: 'Remove it, or make it yours with chown.',
  })
}

/** Turns Node's error for a link or a special file into one that names the file in the workspace. */
function nameFile(error: unknown, file: SharedFile): unknown {
  const code = codeOf(error)
  if (code === undefined || !['ELOOP', 'EINVAL', 'EISDIR', 'ENXIO', 'EMLINK'].includes(code)) return error
  const stats = lookShared(file)
  return stats === undefined || stats.isFile() ? error : notAFile(file, stats)
}

function notAFile(file: SharedFile, stats: Stats): EscrowError {
  return new EscrowError('path_escape', `${file} is ${kindOf(stats)}, not a plain file, so it is not used.`, {
    hint: 'Remove it, or put a plain file there.',
  })
}

function notADirectory(path: string, stats: Stats): EscrowError {
  return new EscrowError('path_escape', `${path} is ${kindOf(stats)}, not a directory, so nothing in it is used.`, {
    hint: 'Remove it, or make it a directory.',
  })
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symlink'
  if (stats.isDirectory()) return 'a directory'
  return stats.isFile() ? 'a file' : 'a device, a pipe or a socket'
}
