import { digest } from '../../overlay/index.js'
import { diffFile } from '../review/index.js'

/** A file's contents; null if there is no file. */
export interface Sides {
  /** The base of the agent's version. */
  readonly base: Uint8Array | null
  /** The content on the branch. */
  readonly tip: Uint8Array | null
  /** The content that the reviewer approved. */
  readonly after: Uint8Array | null
  /** The digest of what the session itself has landed there; undefined if it has landed nothing. */
  readonly own: string | null | undefined
}

/** Merges texts by lines; undefined if one is not text. */
export type MergeTexts = (
  base: Uint8Array,
  tip: Uint8Array,
  after: Uint8Array,
) => { readonly merged: Uint8Array; readonly conflicts: number } | undefined

/**
 * Whether the approved bytes may replace what the branch has. They may if the merge by lines of the branch's and the agent's version gives
 * exactly these bytes: the file is as it was when the agent began, or as the session has landed it, or the agent's version contains what others
 * changed. Any other result has bytes that nobody has reviewed.
 * @returns the message for the agent if they may not
 */
export function mergeFile(path: string, { base, tip, after, own }: Sides, mergeTexts: MergeTexts): string | undefined {
  if (isSame(tip, after) || isSame(tip, base)) return undefined
  if (own !== undefined && own === (tip === null ? null : digest(tip))) return undefined
  if (tip === null) return `${path} is not on the branch any more.`
  if (base === null) return `${path} is on the branch by now, with other content:\n${difference(path, null, tip)}`
  const since = `What the branch has changed since the agent's base:\n${difference(path, base, tip)}`
  if (after === null) return `${path} was changed on the branch, and the agent deletes it. ${since}`
  const merge = mergeTexts(base, tip, after)
  if (merge === undefined) return `${path} was changed on the branch as well, and is not a text that can be merged.`
  if (merge.conflicts > 0)
    return `${path} was changed on the branch in the same lines. ${since}\nThe conflict:\n${conflictsIn(merge.merged)}`
  if (isSame(merge.merged, after)) return undefined
  return `${path} was changed on the branch in other lines. ${since}`
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  if (one === null || other === null) return one === other
  return Buffer.compare(one, other) === 0
}

function difference(path: string, before: Uint8Array | null, after: Uint8Array): string {
  const { hunks, binary } = diffFile(before, after, path)
  return binary ? '(it is not text)' : hunks.map(({ text }) => text).join('\n')
}

/** The parts of a merged text with conflict marks, each with its lines. */
function conflictsIn(merged: Uint8Array): string {
  const found = Buffer.from(merged)
    .toString()
    .match(/^<{7} [\s\S]*?^>{7} .*$/gm)
  return (found ?? []).join('\n')
}
