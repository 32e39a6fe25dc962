import type { BigIntStats, Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { codeOf, isWithin } from '../../overlay/index.js'
import { CP_SYNC_ERRORS_ARE_PLAIN } from './host-traits.js'
import { innerCall } from './inner-call.js'
import { lstat, stat } from './kernel-read.js'
import type { Form } from './op-types.js'
import { type SystemErrorInfo, systemError } from './system-error.js'
import type { ReadView } from './view.js'

/** The checks of cp before it copies an entry: the paths must differ, and neither may be inside the other. */

export type AnyStats = Stats | BigIntStats

/** stat or lstat as a call of cp's own; undefined for an absent path, if that is allowed. */
export function statFor(view: ReadView, path: string, follow: boolean, mayMiss: true): AnyStats | undefined
export function statFor(view: ReadView, path: string, follow: boolean): AnyStats
export function statFor(view: ReadView, path: string, follow: boolean, mayMiss = false): AnyStats | undefined {
  const [name, run] = follow ? (['stat', stat] as const) : (['lstat', lstat] as const)
  return innerCall(name, [path], () => {
    try {
      return run(view, [path, { bigint: true }], 'sync')
    } catch (error) {
      if (mayMiss && codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  })
}

/** The arguments of `cp`, or an entry below them. */
export interface Copied {
  readonly src: string
  readonly dest: string
  readonly form: Form
}

/** Throws ERR_FS_CP_EINVAL, ERR_FS_CP_DIR_TO_NON_DIR, ERR_FS_CP_NON_DIR_TO_DIR. */
export function checkPair(view: ReadView, { src, dest, form }: Copied, from: AnyStats, to: AnyStats | undefined): void {
  if (to) {
    if (isSame(from, to)) throw invalid(form, dest, 'src and dest cannot be the same')
    const fromDir = from.isDirectory()
    if (fromDir && !to.isDirectory()) {
      const message = `cannot overwrite non-directory ${dest} with directory ${src}`
      throw cpError(form, 'ERR_FS_CP_DIR_TO_NON_DIR', cpInfo('EISDIR', message, dest))
    }
    if (!fromDir && to.isDirectory()) {
      const message = `cannot overwrite directory ${dest} with non-directory ${src}`
      throw cpError(form, 'ERR_FS_CP_NON_DIR_TO_DIR', cpInfo('ENOTDIR', message, dest))
    }
  }
  if (from.isDirectory() && isBelow(view, dest, src)) throw intoItself(form, src, dest)
}

/**
 * Throws ERR_FS_CP_EINVAL if a directory above the destination is the source, under any name. Node stops at the first
 * absent one, and skips the parent of the source's name: there it copies a directory into itself until names are too
 * long.
 */
export function checkParents(view: ReadView, { src, dest, form }: Copied, from: AnyStats): void {
  const source = resolve(view.root, src)
  const stop = dirname(source)
  const inner = isWithin(source, view.root)
  for (let at = dirname(resolve(view.root, dest)); at !== '/'; at = dirname(at)) {
    // A path in the workspace is not above it.
    if (inner && !isWithin(at, view.root)) return
    const parent = statFor(view, at, true, true)
    if (parent && isSame(from, parent)) throw intoItself(form, src, dest)
    if (at === stop) return
  }
}

/** Whether a path is below a directory, by the names only. */
export function isBelow(view: ReadView, path: string, dir: string): boolean {
  const above = resolve(view.root, dir)
  return above === '/' || isWithin(resolve(view.root, path), above)
}

export function cpInfo(code: SystemErrorInfo['code'], message: string, path: string): SystemErrorInfo {
  return { code, message, path, syscall: 'cp' }
}

/** The error that this form of `cp` throws on the running release of Node. */
export function cpError(form: Form, code: Parameters<typeof systemError>[0], info: SystemErrorInfo): Error {
  if (form !== 'sync' || !CP_SYNC_ERRORS_ARE_PLAIN) return systemError(code, info)
  return Object.assign(new Error(`${info.message} ${info.path}`), { code })
}

function invalid(form: Form, dest: string, message: string): Error {
  return cpError(form, 'ERR_FS_CP_EINVAL', cpInfo('EINVAL', message, dest))
}

function intoItself(form: Form, src: string, dest: string): Error {
  return invalid(form, dest, subdirectoryMessage(src, dest))
}

export function subdirectoryMessage(src: string, dest: string): string {
  return `cannot copy ${src} to a subdirectory of self ${dest}`
}

function isSame(a: AnyStats, b: AnyStats): boolean {
  return Boolean(b.ino) && Boolean(b.dev) && a.ino === b.ino && a.dev === b.dev
}
