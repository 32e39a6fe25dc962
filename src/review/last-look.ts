import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Change } from '../core/api.js'
import { readSmall } from '../os/read.js'
import { textListMap } from '../os/text-maps.js'
import { layoutAt } from '../os/workspace-state.js'
import { ensurePrivateDir, replaceDurable } from '../os/write.js'

/**
 * What a reviewer had before them when they last left a session's review. Only a help for the eye: no verdict depends on it, so a
 * file that cannot be read counts as none.
 */
export type LastLook = ReadonlySet<string>

/** Of a hunk, or of a change without hunks: the same as long as a reviewer sees the same. */
export function lookMark(change: Change, hunk?: { readonly id: string }): string {
  const { path, from = '', kind, before, after, mode } = change
  const what = hunk === undefined ? [kind, from, before, after, mode?.before ?? null, mode?.after ?? null] : [hunk.id]
  return createHash('sha256')
    .update(JSON.stringify([path, ...what]))
    .digest('base64url')
    .slice(0, 12)
}

/** The marks of all that is shown. */
function lookOf(changes: readonly Change[]): Set<string> {
  return new Set(
    changes.flatMap((change) =>
      change.hunks.length === 0 ? [lookMark(change)] : change.hunks.map((hunk) => lookMark(change, hunk)),
    ),
  )
}

/** True for a hunk, or a change without hunks, that came or changed since. Before a first look nothing is new. */
export function isNewSince(look: LastLook | undefined, change: Change, hunk?: { readonly id: string }): boolean {
  return look !== undefined && !look.has(lookMark(change, hunk))
}

/** Bytes of the file, at most: some hundred thousand marks. */
const LONGEST = 8 * 1024 * 1024

/** Whose look it is, and at what. */
export interface LookPlace {
  /** The workspace's root: an absolute, physical path. */
  readonly root: string
  readonly session: string
  /** The reviewer's name. */
  readonly reviewer: string
}

export function readLastLook({ root, session, reviewer }: LookPlace): LastLook | undefined {
  const marks = read(layoutAt(root).session(session).looks)[reviewer]
  return marks && new Set(marks)
}

/** Replaces what this reviewer saw last; what others saw stays. */
export function writeLastLook({ root, session, reviewer }: LookPlace, changes: readonly Change[]): void {
  const { looks } = layoutAt(root).session(session)
  const others = Object.entries(read(looks)).filter(([name]) => name !== reviewer)
  ensurePrivateDir(dirname(looks))
  replaceDurable(looks, JSON.stringify(Object.fromEntries([...others, [reviewer, [...lookOf(changes)]]])), 0o600)
}

function read(path: string): Readonly<Record<string, readonly string[]>> {
  try {
    return existsSync(path) ? textListMap.parse(JSON.parse(readSmall(path, LONGEST))) : {}
  } catch {
    return {}
  }
}
