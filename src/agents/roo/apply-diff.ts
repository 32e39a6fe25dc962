import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import { type DiffBlock, parseDiffBlocks } from './diff-blocks.js'
import { readText, writeText } from './files.js'
import { findTexts, joinLines, type Line, numberLines, type Splice, spliceLines, splitLines } from './lines.js'
import { writeOutcome } from './result.js'
import { defineTool, pathArgument } from './tool.js'

/** How many lines from the given start line a block may be found, as in the host. */
const REACH = 40

const schema = z.object({ path: pathArgument, diff: z.string().min(1) })

/** `apply_diff`: SEARCH/REPLACE blocks with exact white space; all of them apply, or none. */
export const applyDiff = defineTool('apply_diff', schema, ({ path, diff }) => {
  const blocks = parseDiffBlocks(diff)
  return async (session) => {
    await writeText(session, path, applyBlocks(await readText(session, path), blocks, path))
    return writeOutcome(path, 'modified')
  }
})

/** Applies every block to the text. Positions refer to the text before the first block. */
export function applyBlocks(content: string, blocks: readonly DiffBlock[], path: string): string {
  const lines = splitLines(content)
  const splices = blocks.map((block) => ({ at: locate(lines, block, path), count: block.search.length, block }))
  splices.sort((a, b) => a.at - b.at)
  let free = 0
  for (const { at, count } of splices) {
    if (at < free) throw new ToolFailure(`Two blocks replace line ${at + 1} of ${path}. Put them into one.`)
    free = at + count
  }
  return joinLines(
    spliceLines(
      lines,
      splices.map((splice) => toSplice(lines, splice)),
    ),
  )
}

/** Lines that a block keeps get their own line ends. */
function toSplice(lines: readonly Line[], found: { at: number; count: number; block: DiffBlock }): Splice {
  const { search, replace } = found.block
  const lineEnds = (text: string, index: number) => (text === search[index] ? (lines[found.at + index] ?? text) : text)
  return { at: found.at, count: found.count, lines: replace.map(lineEnds) }
}

function locate(lines: readonly Line[], block: DiffBlock, path: string): number {
  if (block.search.join('\n') === block.replace.join('\n')) {
    throw new ToolFailure('A block has the same text in SEARCH and REPLACE, so there is nothing to change.')
  }
  const found = findTexts(lines, block.search)
  if (block.startLine !== undefined) return nearest(lines, found, block, block.startLine - 1, path)
  const [only, second] = found
  if (only === undefined) throw mismatch(lines, block, path)
  if (second === undefined) return only
  throw new ToolFailure(
    `The SEARCH text occurs in ${path} at lines ${found.map((at) => at + 1).join(', ')}. Give :start_line:, or add lines around it.`,
  )
}

function nearest(lines: readonly Line[], found: number[], block: DiffBlock, start: number, path: string): number {
  const [best] = [...found].sort((a, b) => Math.abs(a - start) - Math.abs(b - start))
  if (best !== undefined && Math.abs(best - start) <= REACH) return best
  throw mismatch(lines, block, path, best)
}

/** Shows the file's lines near the expected place, so that the next attempt can succeed. */
function mismatch(lines: readonly Line[], block: DiffBlock, path: string, elsewhere?: number): ToolFailure {
  const first = Math.max(0, (block.startLine ?? closest(lines, block) + 1) - 4)
  const near = lines.slice(first, first + block.search.length + 6).map((line) => line.text)
  const location = block.startLine === undefined ? '' : ` near line ${block.startLine}`
  const hint = elsewhere === undefined ? '' : `\nThe same text is at line ${elsewhere + 1}. Correct :start_line:.`
  return new ToolFailure(
    `The SEARCH text was not found in ${path}${location}. It must match exactly, including white space. Nothing was changed.${hint}\n\nSearched for:\n${block.search.join('\n')}\n\nThe file has there:\n${numberLines(near, first + 1)}\n\nRead the file again if it may have changed.`,
  )
}

/** The index of the line most like the block's first one: equal except for white space, else the top. */
function closest(lines: readonly Line[], block: DiffBlock): number {
  const removeWhitespace = (text: string) => text.replace(/\s+/g, '')
  const wanted = block.search.map(removeWhitespace).find((text) => text !== '')
  return Math.max(
    0,
    lines.findIndex((line) => removeWhitespace(line.text) === wanted),
  )
}
