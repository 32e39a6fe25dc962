import { childOf, Errno, type Inside, pathText, type RelPath } from '../../overlay/index.js'
import { Denied } from '../core/denials.js'
import { readLooseOptions } from './args.js'
import { RM_PASSES_FILES_BY } from './host-traits.js'
import { innerCall } from './inner-call.js'
import { lstat, stat } from './kernel-read.js'
import { isLink } from './kernel-write.js'
import type { Args, Form } from './op-types.js'
import { eisdirOfRm } from './rm-error.js'
import { readRmdirOptions, readRmOptions } from './rm-options.js'
import type { WriteView } from './view.js'
import { warnOnce } from './warnings.js'

/** The bodies of `rm` and `rmdir`. */

export function rmdir(view: WriteView, [path, given]: Args, form: Form): void {
  if (readRmdirOptions(given)) {
    warnOnce(
      'DEP0147',
      'In future versions of Node.js, fs.rmdir(path, { recursive: true }) will be removed. Use fs.rm(path, { recursive: true }) instead',
    )
    removeDirectories(view, path, form)
    return
  }
  const place = view.target(path, 'exact', 'remove')
  view.layer.judge('remove', place.path)
  if (place.type === undefined) throw new Errno('ENOENT')
  if (place.type !== 'dir') throw new Errno('ENOTDIR')
  // With an inherited `recursive`, these forms of Node report EISDIR instead of removing the tree.
  if (form !== 'promise' && readLooseOptions(given).recursive) throw eisdirOfRm(pathText(path))
  if (place.ending === 'dot') throw new Errno('EINVAL')
  if (place.ending === 'dotdot') throw new Errno('ENOTEMPTY')
  view.layer.remove(place.path)
}

/** Node first checks the path: a failure of that check names its own call. */
function removeDirectories(view: WriteView, path: unknown, form: Form): void {
  const [syscall, readStats] = form === 'promise' ? (['stat', stat] as const) : (['lstat', lstat] as const)
  const checkInner = <T>(run: () => T) => innerCall(syscall, [pathText(path)], run)
  const place = checkInner(() => view.target(path, 'exact', 'remove'))
  // A hidden path is absent to the check, too.
  if (!view.layer.hides(place.path)) view.layer.judge('remove', place.path)
  if (place.type !== 'dir') {
    checkInner(() => readStats(view, [path], 'sync'))
    throw new Errno('ENOTDIR')
  }
  if (place.ending === 'dot') throw new Errno('EINVAL')
  removeTree(view, place.path)
}

export function rm(view: WriteView, [path, given]: Args, form: Form): void {
  const { force, recursive } = readRmOptions(given)
  const place = lstatTarget(view, path, force && recursive && form === 'sync' && RM_PASSES_FILES_BY)
  if (place?.type === undefined) {
    // A hidden path is absent: a refusal of its own would reveal the difference.
    if (place && !view.layer.hides(place.path)) view.layer.judge('remove', place.path)
    if (!force) throw new Errno('ENOENT', 'lstat')
    return
  }
  if (place.type !== 'dir') {
    view.layer.remove(place.path)
    return
  }
  view.layer.judge('remove', place.path)
  if (!recursive) throw eisdirOfRm(pathText(path))
  if (place.ending === 'dot') throw new Errno('EINVAL')
  // rmdir(2) follows no link, even with a slash after it. Node's asynchronous forms report no error then.
  if (place.ending === 'slash' && isLink(view, pathText(path))) {
    if (form === 'sync') throw new Errno('ENOTDIR')
    return
  }
  removeTree(view, place.path)
}

/** rm checks before it removes: a failure of the check names lstat. Undefined: there is no directory to look in. */
function lstatTarget(view: WriteView, path: unknown, passesFilesBy: boolean): Inside | undefined {
  try {
    return view.target(path, 'nofollow', 'remove')
  } catch (error) {
    if (error instanceof Errno && (error.code === 'ENOENT' || (passesFilesBy && error.code === 'ENOTDIR')))
      return undefined
    // A name that a rule hides is absent, whether it exists or not.
    if (error instanceof Denied && error.denial.reason === 'hidden') return undefined
    throw error instanceof Errno ? new Errno(error.code, 'lstat') : error
  }
}

/** Judges everything below before it removes anything, so that a denial leaves the tree whole. */
function removeTree(view: WriteView, path: RelPath): void {
  const paths: RelPath[] = []
  const visit = (at: RelPath): void => {
    if (view.layer.typeOf(at) === 'dir') for (const entry of view.layer.readdir(at)) visit(childOf(at, entry.name))
    view.layer.judge('remove', at)
    paths.push(at)
  }
  visit(path)
  for (const at of paths) view.layer.remove(at)
}
