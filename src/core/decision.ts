import { isAbsolute } from 'node:path'
import type { Denial } from './denials.js'

/** The planned effect of a call on a path: one of the seven mutators, or a read of content or attributes. */
export type Effect = 'put' | 'mkdir' | 'remove' | 'move' | 'link' | 'symlink' | 'setattr' | 'read'

export interface Access {
  readonly effect: Effect
  /** The physical path without symlinks, relative to the root; '' is the root. */
  readonly path: string
  /** The requested path, normalised lexically, relative to the root. Differs from `path` if a link was followed. */
  readonly asked: string
  /** For a symlink: the resolved target, relative to the root, or absolute if it is outside. */
  readonly target?: string
  /** For a symlink: the target text to write. */
  readonly written?: string
  /** For a symlink: whether the target is a file. Any other target may be a directory, whose entries get new names. */
  readonly toFile?: boolean
}

/** Returns whether a path, relative to the root or absolute, is outside the workspace. */
export function isOutside(place: string): boolean {
  return isAbsolute(place) || place === '..' || place.startsWith('../')
}

export type Decision =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'stage' }
  | { readonly verdict: 'deny'; readonly denial: Denial }

/** Decides on an access. Never waits for a person and never throws: a rule that throws denies. */
export type Decide = (access: Access) => Decision

/** The verdict of one rule on an access, for `explain`. */
export interface RuleWord {
  readonly rule: string
  readonly verdict: 'pass' | 'allow' | 'deny'
  /** The line of the file that decided: `file:line`, relative to the root. */
  readonly source?: string
  readonly reason?: string
  readonly message?: string
}
