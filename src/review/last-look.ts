import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Change } from '../core/api.js'
import { readSmall } from '../os/read.js'
import { textListMap } from '../os/text-maps.js'
import { layoutAt } from '../os/workspace-state.js'
import { ensurePrivateDir, replaceDurable } from '../os/write.js'

/**
 * Remembers what a reviewer last saw of a session, to mark what is new. No verdict depends on it, so an unreadable file counts as absent.
 */
export type LastLook = ReadonlySet<string>

/** Identifies what a reviewer sees of a hunk, or of a change without hunks. */
export function lookMark(change: Change, hunk?: { readonly id: string }): string {
  const { path, from = '', kind, before, after, mode } = change
  const what = hunk === undefined ? [kind, from, before, after, mode?.before ?? null, mode?.after ?? null] : [hunk.id]
  return createHash('sha256')
    .update(JSON.stringify([path, ...what]))
    .digest('base64url')
    .slice(0, 12)
}

/** The marks of all shown changes. */
function lookOf(changes: readonly Change[]): Set<string> {
  return new Set(
    changes.flatMap((change) =>
      change.hunks.length === 0 ? [lookMark(change)] : change.hunks.map((hunk) => lookMark(change, hunk)),
    ),
  )
}

/** True for a hunk, or a change without hunks, that appeared or changed since the last look. Before the first look nothing is new. */
export function isNewSince(look: LastLook | undefined, change: Change, hunk?: { readonly id: string }): boolean {
  return look !== undefined && !look.has(lookMark(change, hunk))
}

/** The largest file in bytes: some hundred thousand marks. */
const LONGEST = 8 * 1024 * 1024

/** The reviewer, and the session that they look at. */
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

/** Replaces the marks of this reviewer; those of other reviewers stay. */
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
