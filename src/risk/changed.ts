import type { ChangeKind } from '../core/change-api.js'
import type { Mutation } from '../core/mutation.js'

/** One side of a change. */
export interface Side {
  readonly type: 'file' | 'dir' | 'symlink'
  readonly mode: number
  /** A file's bytes, or a link's target; null if they cannot be read. */
  readonly content: Uint8Array | null
}

/** A change as facts are drawn from it. */
export interface Changed {
  readonly path: string
  readonly from?: string
  readonly kind: ChangeKind
  readonly before: Side | null
  readonly after: Side | null
  /** The measured class, where it is known. */
  readonly mutation?: Mutation | undefined
}

/** A file's text on both sides, and the lines that only one side has. */
export interface Texts {
  readonly before: string
  readonly after: string
  readonly added: readonly Line[]
  readonly removed: readonly Line[]
}

export interface Line {
  /** Counted from 1. */
  readonly number: number
  readonly text: string
}

/** A side beyond this is not scanned. */
export const MAX_BYTES = 4 * 1024 * 1024

/** The text of both sides; undefined if a side is not text or too large. */
export function textsOf({ before, after }: Changed): Texts | undefined {
  const [old, now] = [textOf(before), textOf(after)]
  if (old === undefined || now === undefined) return undefined
  const [oldLines, lines] = [old.split('\n'), now.split('\n')]
  return { before: old, after: now, added: onlyIn(lines, oldLines), removed: onlyIn(oldLines, lines) }
}

function textOf(side: Side | null): string | undefined {
  if (side === null || side.type !== 'file') return ''
  const { content } = side
  if (content === null || content.length > MAX_BYTES || content.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}

/** The lines of one side that the other does not have as often. A moved line is in neither list; the work is linear. */
function onlyIn(lines: readonly string[], others: readonly string[]): Line[] {
  const left = countOf(others.map((line) => line.trim()))
  return lines.flatMap((text, at) => {
    const key = text.trim()
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count > 0 || key === '' ? [] : [{ number: at + 1, text }]
  })
}

function countOf<T>(items: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

/** The items of `these` that `those` does not have as often, by a key. The last ones of equal keys are kept. */
export function extra<T>(these: readonly T[], those: readonly T[], key: (item: T) => string): T[] {
  const left = countOf(those.map(key))
  return these.filter((item) => {
    const name = key(item)
    const count = left.get(name) ?? 0
    left.set(name, count - 1)
    return count <= 0
  })
}
