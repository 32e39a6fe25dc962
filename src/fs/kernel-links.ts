import { Errno, type Inside } from '../../overlay/index.js'
import { invalidSymlinkType, readPath } from './args.js'
import type { Args } from './op-types.js'
import type { WriteView } from './view.js'

/** The bodies of the ops that make links. */

export function link(view: WriteView, [existing, path]: Args): void {
  const from = readPath('existingPath', existing)
  const to = readPath('newPath', path)
  const source = view.target(from, 'nofollow', 'link')
  view.layer.judge('link', source.path)
  if (source.type === undefined) throw new Errno('ENOENT')
  const place = view.target(to, 'exact', 'link')
  view.layer.judge('link', place.path, { target: source.path })
  assertMayAppear(place)
  view.layer.link(source.path, place.path)
}

/** The type is for Windows alone, and read everywhere. Where the target leads is judged by the layer. */
export function symlink(view: WriteView, [target, path, type]: Args): void {
  const pointsTo = readPath('target', target)
  const text = readPath('path', path)
  if (typeof type === 'string' && !['dir', 'file', 'junction'].includes(type)) throw invalidSymlinkType(type)
  if (pointsTo === '') throw new Errno('ENOENT')
  const place = view.target(text, 'exact', 'symlink')
  view.layer.judge('symlink', place.path)
  assertMayAppear(place)
  view.layer.symlink(pointsTo, place.path)
}

/** What the kernel checks before a name that is no directory's is made. */
function assertMayAppear(place: Inside): void {
  if (place.type !== undefined || place.ending === 'dot' || place.ending === 'dotdot') throw new Errno('EEXIST')
  if (place.ending === 'slash') throw new Errno('ENOENT')
}
