import type { StructuredPatchHunk } from 'diff'

/**
 * Splits a hunk at all unchanged lines between its changes. The pieces touch and do not overlap, so each of them can be taken
 * without the others. Of the lines between two pieces, the first half, rounded up, belongs to the earlier one.
 */
export function piecesOf(hunk: StructuredPatchHunk): StructuredPatchHunk[] {
  const cuts = cutsOf(hunk.lines)
  const pieces: StructuredPatchHunk[] = []
  let [oldStart, newStart] = [hunk.oldStart, hunk.newStart]
  for (let each = 0; each <= cuts.length; each++) {
    const lines = hunk.lines.slice(cuts[each - 1] ?? 0, cuts[each])
    const oldLines = lines.filter((line) => line.startsWith(' ') || line.startsWith('-')).length
    const newLines = lines.filter((line) => line.startsWith(' ') || line.startsWith('+')).length
    pieces.push({ oldStart, oldLines, newStart, newLines, lines })
    oldStart += oldLines
    newStart += newLines
  }
  return pieces
}

/** The starts of all pieces but the first. */
function cutsOf(lines: readonly string[]): number[] {
  const cuts: number[] = []
  let lastChange: number | undefined
  lines.forEach((line, at) => {
    if (!line.startsWith('+') && !line.startsWith('-')) return
    const between = lastChange === undefined ? 0 : lines.slice(lastChange + 1, at).filter(isUnchanged).length
    if (lastChange !== undefined && between > 0) cuts.push(at - Math.floor(between / 2))
    lastChange = at
  })
  return cuts
}

function isUnchanged(line: string): boolean {
  return line.startsWith(' ')
}
