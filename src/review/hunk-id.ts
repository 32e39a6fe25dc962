import { sha256hex } from '../../overlay/index.js'

/** A hunk as it is named: its lines with their marks (`-`, `+`, ` `, `\`), and where its old lines stand, from 1. */
export interface Named {
  readonly lines: readonly string[]
  readonly oldStart: number
  readonly oldLines: number
}

/**
 * Names a file's hunks by their old and new text, the lines of context included, never by line numbers: an edit
 * elsewhere in the file, or the commit of a neighbour, leaves a hunk's id as it is. Where the old text of a hunk stands
 * in the file more than once, it could be either that is meant: such a hunk is bound to its place in the very content.
 * @param oldLines of the whole old content
 * @param base names the old content
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
    return `h_${sha256hex(JSON.stringify([path, lines.join('\n'), ...apart])).slice(0, 16)}`
  })
}

type Places = ReadonlyMap<string, readonly number[]>

/** Where each line of one of these lengths stands. Other lengths are no line of a hunk, and are not worth a hash. */
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

/** Lines compared for one hunk up to which it is looked for; a file that takes more is repetitive beyond telling. */
const COMPARED = 100_000

/** Looks where the rarest of its lines stands: mostly that is one place, and nothing is compared at all. */
function isRepeated(block: readonly string[], lines: readonly string[], places: Places): boolean {
  // Lines that are put in without any around them fit anywhere.
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
