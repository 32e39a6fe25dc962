import { constants } from 'node:os'
import { getSystemErrorMap } from 'node:util'

/**
 * Filesystem errors in Node's shape.
 *
 * Inside the overlay an operation fails by throwing an {@link Errno}, which has only a code and is cheap to make. The
 * facade, which knows the system call and the caller's path, turns it into a full error by {@link fsError}.
 */

const byCode = new Map<string, { errno: number; text: string }>()
for (const [errno, [code, text]] of getSystemErrorMap()) byCode.set(code, { errno, text })

// libuv has no text for these two. Linux does.
const EXTRA: Record<string, string> = { ESTALE: 'stale file handle', EDQUOT: 'disk quota exceeded' }
for (const [code, text] of Object.entries(EXTRA)) {
  const errno = (constants.errno as Record<string, number>)[code]
  if (!byCode.has(code)) byCode.set(code, { errno: errno === undefined ? -1 : -errno, text })
}

/** An error of a filesystem call, in the shape Node gives it. */
export interface FsError extends Error {
  errno: number
  code: string
  syscall: string
  path?: string
  dest?: string
}

/** A failure inside the overlay, before the system call and the caller's path are known. */
export class Errno extends Error {
  override readonly name = 'Errno'
  constructor(
    readonly code: string,
    /** Set if Node names another system call than the operation's own (a readFile that fails in `read`). */
    readonly syscall?: string,
    /** Whether Node's message has no path (errors of a descriptor). */
    readonly pathless = false,
  ) {
    super(code)
  }
}

/** libuv's text for a code: `ENOENT` → `no such file or directory`. */
export function errnoText(code: string): string {
  return byCode.get(code)?.text ?? 'unknown error'
}

/** libuv's negative number for a code on this platform. */
export function errnoNumber(code: string): number {
  return byCode.get(code)?.errno ?? -1
}

/**
 * Builds the error that Node throws for a failed call: `ENOENT: no such file or directory, open '/x'`.
 * @param detail replaces libuv's text, for the message of a denial
 */
export function fsError(code: string, syscall: string, path?: string, dest?: string, detail?: string): FsError {
  let message = `${code}: ${detail ?? errnoText(code)}, ${syscall}`
  if (path !== undefined) message += ` '${path}'`
  if (dest !== undefined) message += ` -> '${dest}'`
  const error = new Error(message) as FsError
  error.errno = errnoNumber(code)
  error.code = code
  error.syscall = syscall
  if (path !== undefined) error.path = path
  if (dest !== undefined) error.dest = dest
  return error
}

/** Returns the `code` of any thrown value, or undefined. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code : undefined
}
