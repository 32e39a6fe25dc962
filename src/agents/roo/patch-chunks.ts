import type { PatchChunk, PatchLine } from '../../hooks/index.js'
import { ToolFailure } from '../../hooks/index.js'
import { findTexts, joinLines, type Line, type Splice, spliceLines, splitLines } from './lines.js'

/**
 * Applies an update's chunks to a text. Chunks are looked for from top to bottom, each below the one before; lines a
 * chunk keeps stay byte for byte, whatever white space the patch gives them at their end.
 * @throws ToolFailure when a chunk is not found.
 */
export function applyChunks(content: string, chunks: readonly PatchChunk[], path: string): string {
  const lines = splitLines(content)
  const splices: Splice[] = []
  let from = 0
  for (const chunk of chunks) {
    const start = chunk.context === undefined ? from : below(lines, chunk.context, from, path)
    const splice = chunk.lines.every((line) => line.op === '+')
      ? insertion(lines, chunk, start)
      : replacement(lines, chunk, start, path)
    splices.push(splice)
    from = splice.at + splice.count
  }
  return joinLines(spliceLines(lines, splices))
}

/** The index after the next line that reads like the `@@` text. */
function below(lines: readonly Line[], context: string, from: number, path: string): number {
  const found = seek(lines, [context], from) ?? seek(lines, [context], from, (a, b) => a.trim() === b.trim())
  if (found === undefined) {
    throw new ToolFailure(`The line '${context}' of an @@ header was not found in ${path} below line ${from}.`)
  }
  return found + 1
}

/** Lines that are only added go below their `@@` line, or to the end of the file where there is none. */
function insertion(lines: readonly Line[], chunk: PatchChunk, start: number): Splice {
  const texts = chunk.lines.map((line) => line.text)
  if (chunk.context !== undefined && !chunk.atEnd) return { at: start, count: 0, lines: texts }
  const end = lines.at(-1)?.text === '' ? lines.length - 1 : lines.length
  return { at: end, count: 0, lines: texts }
}

function replacement(lines: readonly Line[], chunk: PatchChunk, start: number, path: string): Splice {
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

/** A blank line before the next header is mostly spacing of the patch, not a line of the file. */
function withoutLastBlank(lines: readonly PatchLine[]): readonly PatchLine[] {
  const last = lines.at(-1)
  return last?.op === ' ' && last.text === '' ? lines.slice(0, -1) : lines
}

function locate(lines: readonly Line[], old: readonly string[], from: number, atEnd: boolean): number | undefined {
  const least = atEnd ? Math.max(from, lines.length - old.length - (lines.at(-1)?.text === '' ? 1 : 0)) : from
  return seek(lines, old, least) ?? seek(lines, old, least, (a, b) => a.trimEnd() === b.trimEnd())
}

function seek(
  lines: readonly Line[],
  texts: readonly string[],
  from: number,
  same?: (a: string, b: string) => boolean,
) {
  return findTexts(lines, texts, same).find((at) => at >= from)
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
