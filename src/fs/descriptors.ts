import fs, { type BigIntStats, constants, type Stats } from 'node:fs'
import { Errno, openForReading, type ReadFile, type WriteFile } from '../../overlay/index.js'
import { invalidType, outOfRange } from './args.js'

/**
 * The session's descriptors. Their numbers begin far above the host's, so a host's number is unknown here (EBADF), and
 * one of ours is unknown to the host.
 */
export interface Descriptor<File extends ReadFile = ReadFile> {
  readonly fd: number
  readonly file: File
  readonly readable: boolean
  readonly writable: boolean
  readonly append: boolean
  /** The requested path, for the report of unclosed files. */
  readonly shown: string
  /** The position of the next read or write without one. */
  position: number
}

export const FIRST_DESCRIPTOR = 1_000_000_000
const LAST = 2 ** 31 - 1
const ACCESS = constants.O_WRONLY | constants.O_RDWR

export class Descriptors {
  readonly #open = new Map<number, Descriptor<WriteFile>>()
  readonly #free: number[] = []
  #next = FIRST_DESCRIPTOR

  add(file: WriteFile, flags: number, shown: string): number {
    const fd = this.#free.pop() ?? this.#next++
    const access = flags & ACCESS
    this.#open.set(fd, {
      fd,
      file,
      readable: access !== constants.O_WRONLY,
      writable: access !== constants.O_RDONLY,
      append: (flags & constants.O_APPEND) !== 0,
      shown,
      position: 0,
    })
    return fd
  }

  /** Throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE, EBADF. */
  get(fd: unknown): Descriptor<WriteFile> {
    const found = this.#open.get(validFd(fd))
    if (!found) throw new Errno('EBADF')
    return found
  }

  close(fd: unknown): void {
    const { file } = this.get(fd)
    this.#open.delete(fd as number)
    this.#free.push(fd as number)
    file.close()
  }

  /** The requested paths of the files that are still open. */
  leakedPaths(): string[] {
    return [...this.#open.values()].map(({ shown }) => shown)
  }

  closeAll(): void {
    for (const { fd } of [...this.#open.values()]) this.close(fd)
  }
}

export function validFd(fd: unknown): number {
  if (typeof fd !== 'number') throw invalidType('fd', 'of type number', fd)
  if (!Number.isInteger(fd)) throw outOfRange('fd', 'an integer', fd)
  if (fd < 0 || fd > LAST) throw outOfRange('fd', `>= 0 && <= ${LAST}`, fd)
  return fd
}

/**
 * A file outside the workspace, for reading only.
 * @param judge throws if it may no longer be read
 */
export function openOutside(path: string, judge: () => void): WriteFile {
  const host = openForReading(path, true)
  const refuse = (): never => {
    throw new Errno('EBADF')
  }
  return {
    path: undefined,
    names: () => [],
    type: fs.fstatSync(host).isDirectory() ? 'dir' : 'file',
    read(target, position) {
      judge()
      return fs.readSync(host, target, 0, target.length, position)
    },
    stat: (): Stats => fs.fstatSync(host),
    statBig: (): BigIntStats => fs.fstatSync(host, { bigint: true }),
    close: () => fs.closeSync(host),
    write: refuse,
    setattr: refuse,
  }
}
