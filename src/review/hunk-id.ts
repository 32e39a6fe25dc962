import { sha256hex } from '../../overlay/index.js'

/** The input of a hunk's id: its lines with their marks (`-`, `+`, ` `, `\`), and the range of its old lines, from 1. */
export interface Named {
  readonly lines: readonly string[]
  readonly oldStart: number
  readonly oldLines: number
}

/**
 * Derives the ids of a file's hunks from their old and new text, including context lines, and not from line numbers: an
 * edit elsewhere in the file, or the commit of a neighbour, leaves a hunk's id unchanged. If the old text of a hunk occurs
 * more than once in the file, the id also depends on its line and on the whole old content.
 * @param oldLines the lines of the whole old content
 * @param base returns an identifier of the old content
 */
export function hunkIds(
  path: string,
  hunks: readonly Named[],
  oldLines: readonly string[],
  base: () => string,
): string[] {
  const blocks = hunks.map(({ oldStart, oldLines: length }) => oldLines.slice(oldStart - 1, oldStart - 1 + length))
  const places = placesOf(oldLines, new Set(blocks.flatMap((block) => block.map((line) => line.length))))
  return hunks.map(({ lines, oldStart }, index) => {
    const block = blocks[index] ?? []
    const apart = isRepeated(block, oldLines, places) ? [oldStart, base()] : []
    return `h_${sha256hex(JSON.stringify([path, lines.join('\n'), ...apart])).slice(0, 40)}`
  })
}

type Places = ReadonlyMap<string, readonly number[]>

/** Returns the positions of each line that has one of these lengths. Other lines are in no hunk, so they need no hash. */
function placesOf(lines: readonly string[], lengths: ReadonlySet<number>): Places {
  const places = new Map<string, number[]>()
  lines.forEach((line, at) => {
    if (!lengths.has(line.length)) return
    const known = places.get(line)
    if (known) known.push(at)
    else places.set(line, [at])
  })
  return places
}

/** The limit of compared lines for one hunk. A file that takes more is very repetitive. */
const COMPARED = 100_000

/** Searches at the positions of the hunk's rarest line: usually there is only one, and no comparison is needed. */
function isRepeated(block: readonly string[], lines: readonly string[], places: Places): boolean {
  // Added lines without context fit anywhere.
  if (block.length === 0) return lines.length > 0
  const count = (at: number) => places.get(block[at] ?? '')?.length ?? 0
  const rarest = block.reduce((least, _, at) => (count(at) < count(least) ? at : least), 0)
  const fits = (start: number) => start >= 0 && start + block.length <= lines.length
  const starts = (places.get(block[rarest] ?? '') ?? []).map((at) => at - rarest).filter(fits)
  let [found, compared] = [0, 0]
  for (const start of starts) {
    let same = 0
    while (same < block.length && lines[start + same] === block[same]) same++
    compared += same + 1
    if (same === block.length) found++
    if (found > 1 || (compared > COMPARED && starts.length > 1)) return true
  }
  return false
}
