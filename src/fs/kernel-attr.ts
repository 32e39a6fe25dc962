import { constants } from 'node:fs'
import { Errno } from '../../overlay/errno.js'
import type { Follow, Inside } from '../../overlay/resolve.js'
import { invalidType, methodMissing, readInteger, readMode, readPath } from './args.js'
import type { Args } from './ops.js'
import { timeNs, unixTime } from './times.js'
import type { WriteView } from './view.js'

/** The bodies of the ops that set a path's mode, owner and times. */

const MAX_ID = 2 ** 32 - 1
const LEAVE = -1
const SETUID = 0o4000
const SETGID = 0o2000
const GROUP_RUNS = 0o010

export function chmod(view: WriteView, [path, mode]: Args): void {
  setMode(view, readPath('path', path), mode, 'follow')
}

/** Only macOS can: elsewhere the host's promise form says so, and the other forms are not there. */
export function lchmod(view: WriteView, [path, mode]: Args): void {
  if (!('O_SYMLINK' in constants)) throw methodMissing('lchmod()')
  setMode(view, readPath('path', path), mode, 'nofollow')
}

function setMode(view: WriteView, path: string, given: unknown, follow: Follow): void {
  if (given === undefined || given === null) throw invalidType('mode', 'of type number', given)
  const mode = readMode(given, 0)
  const place = targetOf(view, path, follow)
  if (!isOwner(view, place)) throw new Errno('EPERM')
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
  if (!mayGive(view, place, uid, gid)) throw new Errno('EPERM')
  view.layer.setattr(place.path, {
    ...(uid !== LEAVE && { uid }),
    ...(gid !== LEAVE && { gid }),
    ...withoutPrivileges(view, place),
  })
}

function readId(name: string, value: unknown): number {
  const id = readInteger(name, value, LEAVE, MAX_ID)
  return id === MAX_ID ? LEAVE : id
}

/** chown(2): only root gives a file away; its owner may give it to a group of the owner's own. */
function mayGive(view: WriteView, place: Inside, uid: number, gid: number): boolean {
  if (process.getuid?.() === 0) return true
  if (!isOwner(view, place)) return false
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])]
  return (uid === LEAVE || uid === process.getuid?.()) && (gid === LEAVE || groups.includes(gid))
}

/** A new owner must not run as the old one: Linux clears these bits, for root too. */
function withoutPrivileges(view: WriteView, place: Inside): { mode?: number } {
  const mode = (view.layer.lstat(place.path)?.mode ?? 0) & 0o7777
  const cleared = SETUID | (mode & GROUP_RUNS ? SETGID : 0)
  return place.type === 'file' && mode & cleared ? { mode: mode & ~cleared } : {}
}

export function utimes(view: WriteView, args: Args): void {
  setTimes(view, args, 'follow')
}

export function lutimes(view: WriteView, args: Args): void {
  setTimes(view, args, 'nofollow')
}

function setTimes(view: WriteView, [path, atime, mtime]: Args, follow: Follow): void {
  const text = readPath('path', path)
  const [atimeNs, mtimeNs] = [timeNs(unixTime(atime)), timeNs(unixTime(mtime))]
  const place = targetOf(view, text, follow)
  if (!isOwner(view, place)) throw new Errno('EPERM')
  view.layer.setattr(place.path, {
    ...(atimeNs !== undefined && { atimeNs }),
    ...(mtimeNs !== undefined && { mtimeNs }),
  })
}

function targetOf(view: WriteView, path: string, follow: Follow): Inside {
  const place = view.target(path, follow, 'setattr')
  view.layer.judge('setattr', place.path)
  if (place.type === undefined) throw new Errno('ENOENT')
  return place
}

function isOwner(view: WriteView, place: Inside): boolean {
  const uid = process.getuid?.()
  return uid === undefined || uid === 0 || view.layer.lstat(place.path)?.uid === uid
}
