import { dirname, isAbsolute, join, resolve } from 'node:path'
import { types } from 'node:util'
import { codeOf } from '../../overlay/index.js'
import { invalidReturn, readPath } from './args.js'
import {
  type AnyStats,
  checkPair,
  checkParents,
  cpError,
  cpInfo,
  isBelow,
  statFor,
  subdirectoryMessage,
} from './cp-checks.js'
import { type CpOptions, readCpOptions } from './cp-options.js'
import { nextTurn } from './fairness.js'
import { CP_ASKS_FOR_DIRECTORY, CP_DIRECTORIES_EXIST } from './host-traits.js'
import { InnerFailure, innerCall } from './inner-call.js'
import { chmod, utimes } from './kernel-attr.js'
import { symlink } from './kernel-links.js'
import { entriesOf } from './kernel-list.js'
import { exists, readlink } from './kernel-read.js'
import { copyFile, mkdir, unlink } from './kernel-write.js'
import type { Args, Form } from './op-types.js'
import { systemError } from './system-error.js'
import type { WriteView } from './view.js'

/**
 * cp as a sequence of other ops, so that each entry is judged as its own copyFile, mkdir or symlink. It pauses at each
 * entry: the sync form to call the filter, the others to await it and to let other work run.
 */

/** A pause, with a call of the caller's filter or without. Its result is the filter's. */
type Stop = (() => unknown) | undefined
type Steps<Result = void> = Generator<Stop, Result, unknown>

interface Copy {
  readonly view: WriteView
  readonly options: CpOptions
  readonly form: Form
}

export function cp(view: WriteView, args: Args, form: Form): Promise<void> | undefined {
  const steps = stepsOf(view, args, form)
  if (form !== 'sync') return walk(view, steps)
  for (let step = resume(view, steps, undefined); !step.done; ) {
    const answer = step.value?.()
    if (types.isPromise(answer)) throw invalidReturn('boolean', 'filter', answer)
    step = resume(view, steps, answer)
  }
  return undefined
}

async function walk(view: WriteView, steps: Steps): Promise<void> {
  for (let step = resume(view, steps, undefined); !step.done; ) {
    const answer = step.value && (await step.value())
    const turn = nextTurn()
    if (turn) await turn
    step = resume(view, steps, answer)
  }
}

/** Each step is an op of its own: others may have run since the last. */
function resume(view: WriteView, steps: Steps, answer: unknown): IteratorResult<Stop, void> {
  return view.within(() => steps.next(answer))
}

function stepsOf(view: WriteView, [src, dest, given]: Args, form: Form): Steps {
  const options = readCpOptions(given)
  return copyTop({ view, options, form }, readPath('src', src), readPath('dest', dest))
}

function* copyTop(copy: Copy, src: string, dest: string): Steps {
  const found = yield* checkPaths(copy, src, dest)
  if (!found) return
  checkParents(copy.view, { src, dest, form: copy.form }, found.from)
  const parent = dirname(dest)
  if (!exists(copy.view, [parent]))
    innerCall('mkdir', [parent], () => mkdir(copy.view, [parent, { recursive: true }], copy.form))
  yield* copyEntry(copy, src, dest, found.to)
}

interface Found {
  readonly from: AnyStats
  readonly to: AnyStats | undefined
}

/** Undefined when the filter leaves the entry out. */
function* checkPaths({ view, options, form }: Copy, src: string, dest: string): Steps<Found | undefined> {
  const { filter, dereference } = options
  const wanted = yield filter && (() => filter(src, dest))
  if (filter && !wanted) return undefined
  const from = statFor(view, src, dereference)
  const to = statFor(view, dest, dereference, true)
  checkPair(view, { src, dest, form }, from, to)
  return { from, to }
}

function* copyEntry(copy: Copy, src: string, dest: string, to: AnyStats | undefined): Steps {
  const { view, options } = copy
  const from = statFor(view, src, options.dereference)
  if (from.isDirectory()) {
    if (options.recursive) yield* copyDir(copy, src, dest, from, to)
    else throw cpError(copy.form, 'ERR_FS_EISDIR', cpInfo('EISDIR', `${src} is a directory (not copied)`, src))
  } else if (from.isFile() || from.isCharacterDevice() || from.isBlockDevice()) {
    copyContent(copy, src, dest, from, to)
  } else if (from.isSymbolicLink()) {
    copyLink(copy, src, dest, to)
  } else throw notCopied(copy.form, from, dest)
}

function notCopied(form: Form, from: AnyStats, dest: string): Error {
  if (from.isSocket())
    return cpError(form, 'ERR_FS_CP_SOCKET', cpInfo('EINVAL', `cannot copy a socket file: ${dest}`, dest))
  if (from.isFIFO())
    return cpError(form, 'ERR_FS_CP_FIFO_PIPE', cpInfo('EINVAL', `cannot copy a FIFO pipe: ${dest}`, dest))
  return cpError(form, 'ERR_FS_CP_UNKNOWN', cpInfo('EINVAL', `cannot copy an unknown file type: ${dest}`, dest))
}

function* copyDir(copy: Copy, src: string, dest: string, from: AnyStats, to: AnyStats | undefined): Steps {
  const { view, options, form } = copy
  if (to && CP_DIRECTORIES_EXIST && options.errorOnExist && !options.force) throw alreadyThere(dest)
  if (!to) innerCall('mkdir', [dest], () => mkdir(view, [dest], form))
  for (const { name } of innerCall('opendir', [src], () => entriesOf(view, src))) {
    const [below, copied] = [join(src, name), join(dest, name)]
    const found = yield* checkPaths(copy, below, copied)
    if (found) yield* copyEntry(copy, below, copied, found.to)
  }
  if (!to) setMode(view, dest, from)
}

function copyContent(copy: Copy, src: string, dest: string, from: AnyStats, to: AnyStats | undefined): void {
  const { view, options } = copy
  if (to && !options.force) {
    if (options.errorOnExist) throw alreadyThere(dest)
    return
  }
  if (to) innerCall('unlink', [dest], () => unlink(view, [dest]))
  innerCall('copyfile', [src, dest], () => copyFile(view, [src, dest, options.mode], 'sync'))
  if (options.preserveTimestamps) {
    const { atime, mtime } = statFor(view, src, true)
    innerCall('utime', [dest], () => utimes(view, [dest, atime, mtime]))
  }
  setMode(view, dest, from)
}

function alreadyThere(dest: string): Error {
  return systemError('ERR_FS_CP_EEXIST', cpInfo('EEXIST', `${dest} already exists`, dest))
}

function setMode(view: WriteView, path: string, like: AnyStats): void {
  innerCall('chmod', [path], () => chmod(view, [path, Number(like.mode)]))
}

function copyLink(copy: Copy, src: string, dest: string, to: AnyStats | undefined): void {
  const { view, options } = copy
  const written = targetOf(view, src)
  const target = options.verbatimSymlinks || isAbsolute(written) ? written : resolve(view.root, dirname(src), written)
  if (to?.isSymbolicLink()) {
    mayReplaceLink(copy, src, dest, target)
    innerCall('unlink', [dest], () => unlink(view, [dest]))
  }
  innerCall('symlink', [target, dest], () => symlink(view, [target, dest]))
}

/** Throws if a link would be replaced by one to its own parent or child. */
function mayReplaceLink({ view, form }: Copy, src: string, dest: string, target: string): void {
  const present = resolve(view.root, dirname(dest), targetOf(view, dest))
  if (isBelow(view, present, target) && (!CP_ASKS_FOR_DIRECTORY || leadsToDirectory(view, src)))
    throw systemError('ERR_FS_CP_EINVAL', cpInfo('EINVAL', subdirectoryMessage(target, present), dest))
  // Node's sync form checks the old link's target, the others the new one's.
  if (!statFor(view, form === 'sync' ? dest : src, true).isDirectory() || !isBelow(view, target, present)) return
  const message = `cannot overwrite ${present} with ${target}`
  throw systemError('ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY', cpInfo('EINVAL', message, dest))
}

function leadsToDirectory(view: WriteView, path: string): boolean {
  try {
    return statFor(view, path, true).isDirectory()
  } catch (error) {
    if (error instanceof InnerFailure && codeOf(error.failure) !== undefined) return false
    throw error
  }
}

function targetOf(view: WriteView, link: string): string {
  return innerCall('readlink', [link], () => String(readlink(view, [link])))
}
