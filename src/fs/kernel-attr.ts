import { constants } from 'node:fs'
import { Errno, type Follow, type Inside } from '../../overlay/index.js'
import { methodMissing, readGivenMode, readPath } from './args.js'
import type { Args } from './op-types.js'
import { givenTo, isOwner, mayChown, readId } from './ownership.js'
import { readTimes } from './times.js'
import type { WriteView } from './view.js'

/** The bodies of the ops that set a path's mode, owner and times. */

export function chmod(view: WriteView, [path, mode]: Args): void {
  setMode(view, readPath('path', path), mode, 'follow')
}

/** Exists only on macOS. Elsewhere the host's promise form refuses it, and the other forms do not exist. */
export function lchmod(view: WriteView, [path, mode]: Args): void {
  if (!('O_SYMLINK' in constants)) throw methodMissing('lchmod()')
  setMode(view, readPath('path', path), mode, 'nofollow')
}

function setMode(view: WriteView, path: string, value: unknown, follow: Follow): void {
  const mode = readGivenMode(value)
  const place = targetOf(view, path, follow)
  if (!isOwner(view.layer.lstat(place.path))) throw new Errno('EPERM')
  view.layer.setattr(place.path, { mode: mode & 0o7777 })
}

export function chown(view: WriteView, args: Args): void {
  setOwner(view, args, 'follow')
}

export function lchown(view: WriteView, args: Args): void {
  setOwner(view, args, 'nofollow')
}

function setOwner(view: WriteView, [path, givenUid, givenGid]: Args, follow: Follow): void {
  const text = readPath('path', path)
  const uid = readId('uid', givenUid)
  const gid = readId('gid', givenGid)
  const place = targetOf(view, text, follow)
  const stats = view.layer.lstat(place.path)
  if (!mayChown(stats, uid, gid)) throw new Errno('EPERM')
  view.layer.setattr(place.path, givenTo(stats, uid, gid))
}

export function utimes(view: WriteView, args: Args): void {
  setTimes(view, args, 'follow')
}

export function lutimes(view: WriteView, args: Args): void {
  setTimes(view, args, 'nofollow')
}

function setTimes(view: WriteView, [path, atime, mtime]: Args, follow: Follow): void {
  const text = readPath('path', path)
  const times = readTimes(atime, mtime)
  const place = targetOf(view, text, follow)
  if (!isOwner(view.layer.lstat(place.path))) throw new Errno('EPERM')
  view.layer.setattr(place.path, times)
}

function targetOf(view: WriteView, path: string, follow: Follow): Inside {
  const place = view.target(path, follow, 'setattr')
  view.layer.judge('setattr', place.path)
  if (place.type === undefined) throw new Errno('ENOENT')
  return place
}
