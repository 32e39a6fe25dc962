import type { PatchChunk, PatchLine } from '../../hooks/index.js'
import { ToolFailure } from '../../hooks/index.js'
import { findTexts, joinLines, type Line, type Splice, spliceLines, splitLines } from './lines.js'

/**
 * Applies an update's chunks to a text. Each chunk is searched below the previous one. Lines that a chunk keeps stay byte for
 * byte, whatever trailing white space they have in the patch.
 * @throws ToolFailure for a chunk that is not found.
 */
export function applyChunks(content: string, chunks: readonly PatchChunk[], path: string): string {
  const lines = splitLines(content)
  const splices: Splice[] = []
  let from = 0
  for (const chunk of chunks) {
    const start = chunk.context === undefined ? from : findContext(lines, chunk.context, from, path)
    const splice = chunk.lines.every((line) => line.op === '+')
      ? toInsertion(lines, chunk, start)
      : toReplacement(lines, chunk, start, path)
    splices.push(splice)
    from = splice.at + splice.count
  }
  return joinLines(spliceLines(lines, splices))
}

/** The index after the next line that matches the `@@` text. */
function findContext(lines: readonly Line[], context: string, from: number, path: string): number {
  const found = findLines(lines, [context], from) ?? findLines(lines, [context], from, (text) => text.trim())
  if (found === undefined) {
    throw new ToolFailure(`The line '${context}' of an @@ header was not found in ${path} below line ${from}.`)
  }
  return found + 1
}

/** Added lines without context go below their `@@` line, or to the end of the file without one. */
function toInsertion(lines: readonly Line[], chunk: PatchChunk, start: number): Splice {
  const texts = chunk.lines.map((line) => line.text)
  if (chunk.context !== undefined && !chunk.atEnd) return { at: start, count: 0, lines: texts }
  const end = lines.at(-1)?.text === '' ? lines.length - 1 : lines.length
  return { at: end, count: 0, lines: texts }
}

function toReplacement(lines: readonly Line[], chunk: PatchChunk, start: number, path: string): Splice {
  for (const wanted of [chunk.lines, withoutLastBlank(chunk.lines)]) {
    const old = wanted.filter((line) => line.op !== '+').map((line) => line.text)
    const at = locate(lines, old, start, chunk.atEnd)
    if (at !== undefined && old.length > 0) return { at, count: old.length, lines: mergeLines(lines, wanted, at) }
  }
  const old = chunk.lines.filter((line) => line.op !== '+').map((line) => line.text)
  throw new ToolFailure(
    `These lines were not found in ${path} below line ${start}, so nothing was changed:\n${old.join('\n')}\n\nRead the file again and make the patch match it.`,
  )
}

/** A blank line before the next header is usually spacing of the patch, not a line of the file. */
function withoutLastBlank(lines: readonly PatchLine[]): readonly PatchLine[] {
  const last = lines.at(-1)
  return last?.op === ' ' && last.text === '' ? lines.slice(0, -1) : lines
}

function locate(lines: readonly Line[], old: readonly string[], from: number, atEnd: boolean): number | undefined {
  const first = atEnd ? Math.max(from, lines.length - old.length - (lines.at(-1)?.text === '' ? 1 : 0)) : from
  return findLines(lines, old, first) ?? findLines(lines, old, first, (text) => text.trimEnd())
}

function findLines(lines: readonly Line[], texts: readonly string[], from: number, keyOf?: (text: string) => string) {
  return findTexts(lines, texts, keyOf).find((at) => at >= from)
}

/** Kept lines are the file's own, added ones the patch's. */
function mergeLines(lines: readonly Line[], wanted: readonly PatchLine[], at: number): (string | Line)[] {
  const result: (string | Line)[] = []
  let next = at
  for (const line of wanted) {
    if (line.op === '+') result.push(line.text)
    else {
      const own = lines[next++]
      if (line.op === ' ') result.push(own ?? line.text)
    }
  }
  return result
}
