import { isAbsolute } from 'node:path'
import type { Denial } from './denials.js'

/** What a call is about to do to a path: the seven mutators, a read, or a look at attributes. */
export type Effect = 'put' | 'mkdir' | 'remove' | 'move' | 'link' | 'symlink' | 'setattr' | 'read'

export interface Access {
  readonly effect: Effect
  /** Physical path relative to the root ('' is the root), no symlink left in it. */
  readonly path: string
  /** The name as asked, normalised lexically, relative to the root; differs from `path` where a link was followed. */
  readonly asked: string
  /** Of a symlink: where it points once in place, relative to the root, or absolute when outside. */
  readonly target?: string
  /** Of a symlink: its target as it is to be written. */
  readonly written?: string
  /** Of a symlink: whether a file stands there. A directory, or what may become one, gives new names to all below it. */
  readonly toFile?: boolean
}

/** Whether a place, relative to the root or absolute, is outside the workspace. */
export function isOutside(place: string): boolean {
  return isAbsolute(place) || place === '..' || place.startsWith('../')
}

export type Decision =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'stage' }
  | { readonly verdict: 'deny'; readonly denial: Denial }

/** Never waits for a person, never throws (a rule that throws becomes a deny). */
export type Decide = (access: Access) => Decision

/** One rule's word on an access, for `explain`. */
export interface RuleWord {
  readonly rule: string
  readonly verdict: 'pass' | 'allow' | 'deny'
  /** What a person wrote that it goes by: `file:line`, relative to the root. */
  readonly source?: string
  readonly reason?: string
  readonly message?: string
}
