/**
 * The only module that opens what people share by git: the files of `.orchestration/` and `.intentignore`. Anybody can
 * have made these files, as a clone brings them. So each is opened from the workspace's root, one component at a time,
 * and no link is followed. A link, a directory, a device or another user's file in the place of one is an error that
 * names it.
 *
 * On Linux a directory is held open and its entries are addressed through `/proc/self/fd/N`: whoever swaps it for a link
 * afterwards changes nothing for us. Other systems have no such address, so there each component is checked by name right
 * before it is used, which leaves a moment for a swap.
 */
import { closeSync, existsSync, fstatSync, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { codeOf, fsError, openRegular } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { type Layout, ORCHESTRATION, type SharedFile } from '../core/layout.js'
import { openDirectory } from './read.js'
import { createDurable, extendFile, makeDir, openToExtend, replaceDurable, syncDir } from './write.js'

const HOLDS_DIRECTORIES = process.platform === 'linux' && existsSync('/proc/self/fd')

/** Opens a file to be read. Throws ENOENT where there is none, EscrowError `path_escape` for anything but a plain file. */
export function openShared(file: SharedFile): number {
  return inParent(file, (address) => {
    try {
      return checkOwner(openRegular(address, false), file)
    } catch (error) {
      throw nameFile(error, file)
    }
  })
}

/** A file's bytes. Throws as {@link openShared}, and EFBIG where it is longer than `limit` bytes. */
export function readShared(file: SharedFile, limit = Number.POSITIVE_INFINITY): Buffer {
  const fd = openShared(file)
  try {
    if (fstatSync(fd).size > limit) throw fsError('EFBIG', 'open', `${file}`, undefined, `longer than ${limit} bytes`)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Whether something has the file's name; a dangling link counts. */
export function sharedExists(file: SharedFile): boolean {
  return lookShared(file) !== undefined
}

/**
 * The entry's own stats, a link's if it is one. Only to compare with what was seen before: the directories on the way are
 * not checked, so whatever is new here must be read by {@link openShared}.
 */
export function lookShared(file: SharedFile): Stats | undefined {
  try {
    return lstatSync(`${file}`, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** The names in a directory, none where there is none. Throws EscrowError `path_escape` for anything but a directory. */
export function listShared(directory: SharedFile): string[] {
  try {
    return inDirectory(directory.root, directory.name, (address) => readdirSync(address))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Creates a file. Throws EEXIST where the name is taken. */
export function createShared(file: SharedFile, data: Uint8Array | string): void {
  inParent(file, (address) => createDurable(address, data, 0o644))
}

/** Replaces a file whole by a rename, or creates it. The permission bits stay. Throws `path_escape` as {@link openShared}. */
export function replaceShared(file: SharedFile, data: Uint8Array | string): void {
  inParent(file, (address) => {
    const stats = lstatSync(address, { throwIfNoEntry: false })
    if (stats !== undefined) assertPlain(stats, file)
    replaceDurable(address, data, stats === undefined ? 0o644 : stats.mode & 0o777)
  })
}

/**
 * Writes bytes at `end` and ends the file there, see {@link extendFile}. Creates the file where there is none.
 * @returns false, with nothing written, if its size is not `size`.
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

/** Whether there is a `.orchestration`. Throws EscrowError `path_escape` where something else has its name. */
export function hasOrchestration({ root, dir }: Pick<Layout, 'root' | 'dir'>): boolean {
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return false
  inDirectory(root, ORCHESTRATION, () => undefined)
  return true
}

/** Makes `.orchestration` where there is none. Throws EscrowError `path_escape` where something else has its name. */
export function makeOrchestration(layout: Pick<Layout, 'root' | 'dir'>): void {
  if (hasOrchestration(layout)) return
  inDirectory(layout.root, '', (address) => makeDir(`${address}/${ORCHESTRATION}`))
}

/** Runs work with the address of a file in its parent directory, which is held meanwhile. */
function inParent<T>({ root, name }: SharedFile, work: (address: string) => T): T {
  const slash = name.lastIndexOf('/')
  const [parent, base] = slash < 0 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)]
  return inDirectory(root, parent, (address) => work(`${address}/${base}`))
}

/**
 * Runs work with the address of a directory below the root, which is held meanwhile.
 * Throws ENOENT where there is none, EscrowError `path_escape` where a component is a link, a file or another user's.
 */
export function inDirectory<T>(root: string, name: string, work: (address: string) => T): T {
  return HOLDS_DIRECTORIES ? inHeldDirectory(root, name, work) : inCheckedDirectory(root, name, work)
}

function inHeldDirectory<T>(root: string, name: string, work: (address: string) => T): T {
  let fd = openDirectory(root)
  try {
    const owner = fstatSync(fd).uid
    let way = root
    for (const segment of name === '' ? [] : name.split('/')) {
      way = `${way}/${segment}`
      const next = openComponent(`/proc/self/fd/${fd}/${segment}`, way)
      closeSync(fd)
      fd = next
      assertOwner(fstatSync(fd), owner, way)
    }
    return work(`/proc/self/fd/${fd}`)
  } finally {
    closeSync(fd)
  }
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

/** Closes the descriptor where the file is not to be used. */
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

/** The person's own files and root's may be used; for root, those of the workspace's owner as well. */
function assertOwner({ uid }: Stats, rootOwner: number, path: string): void {
  const self = process.geteuid?.()
  if (self === undefined || uid === self || uid === 0 || (self === 0 && uid === rootOwner)) return
  throw new EscrowError('path_escape', `${path} belongs to another user (uid ${uid}), so it is not used.`, {
    hint: 'Remove it, or make it yours with chown.',
  })
}

/** What Node says of a link or of no plain file, as an error that names the file in the workspace. */
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
