import { Errno, type Inside } from '../../overlay/index.js'
import { readPath, symlinkTypeProblem } from './args.js'
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

/** The type is only used on Windows, and checked everywhere. The layer judges the target. */
export function symlink(view: WriteView, [target, path, type]: Args): void {
  const pointsTo = readPath('target', target)
  const text = readPath('path', path)
  const problem = symlinkTypeProblem(type)
  if (problem) throw problem
  if (pointsTo === '') throw new Errno('ENOENT')
  const place = view.target(text, 'exact', 'symlink')
  view.layer.judge('symlink', place.path)
  assertMayAppear(place)
  view.layer.symlink(pointsTo, place.path)
}

/** The kernel's checks before it makes a name for anything but a directory. */
function assertMayAppear(place: Inside): void {
  if (place.type !== undefined || place.ending === 'dot' || place.ending === 'dotdot') throw new Errno('EEXIST')
  if (place.ending === 'slash') throw new Errno('ENOENT')
}
