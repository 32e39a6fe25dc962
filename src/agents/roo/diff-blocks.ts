import { ToolFailure } from '../../hooks/index.js'

/** One SEARCH/REPLACE block. */
export interface DiffBlock {
  /** The first line of the search text in the file, from 1, as given. */
  readonly startLine?: number
  readonly search: readonly string[]
  readonly replace: readonly string[]
}

const SEARCH = /^<<<<<<< SEARCH>?\s*$/
const DIVIDER = /^=======\s*$/
const REPLACE = /^>>>>>>> REPLACE\s*$/
const LINE_HINT = /^:(start|end)_line:\s*(\d+)\s*$/
const HEADER_END = /^-------\s*$/
const ESCAPED = /^\\(?=<<<<<<<|=======|>>>>>>>|-------|:start_line:|:end_line:)/
const NUMBERED = /^\s*\d+ \| ?/

/**
 * Parses the blocks of an `apply_diff` argument. Text around the blocks, such as a code fence, is ignored.
 * @throws ToolFailure with the invalid line of the diff and the correct form.
 */
export function parseDiffBlocks(diff: string): DiffBlock[] {
  const lines = diff.split(/\r?\n/)
  const blocks: DiffBlock[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (DIVIDER.test(line) || REPLACE.test(line)) throw malformedDiff(at, line, '<<<<<<< SEARCH')
    if (!SEARCH.test(line)) continue
    const divider = findMarker(lines, at + 1, DIVIDER, '=======')
    const end = findMarker(lines, divider + 1, REPLACE, '>>>>>>> REPLACE')
    blocks.push(makeBlock(lines.slice(at + 1, divider), lines.slice(divider + 1, end), at))
    at = end
  }
  if (blocks.length === 0) throw new ToolFailure(`The diff has no SEARCH/REPLACE block.\n\n${FORM}`)
  return blocks
}

/** Finds a marker. Another marker before it means that one was forgotten or not escaped. */
function findMarker(lines: readonly string[], from: number, marker: RegExp, name: string): number {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (marker.test(line)) return at
    if (SEARCH.test(line) || DIVIDER.test(line) || REPLACE.test(line)) throw malformedDiff(at, line, name)
  }
  throw new ToolFailure(`The diff ends before '${name}'.\n\n${FORM}`)
}

function makeBlock(header: readonly string[], body: readonly string[], at: number): DiffBlock {
  let startLine: number | undefined
  let first = 0
  for (; first < header.length; first++) {
    const hint = LINE_HINT.exec(header[first] ?? '')
    if (hint === null) break
    if (hint[1] === 'start') startLine = Number(hint[2])
  }
  if (HEADER_END.test(header[first] ?? '')) first++
  const raw = { search: header.slice(first).map(unescapeMarker), replace: body.map(unescapeMarker) }
  if (raw.search.join('') === '' && raw.search.length <= 1) {
    throw new ToolFailure(`The SEARCH part at line ${at + 1} of the diff is empty. Give the lines to replace.`)
  }
  const { search, replace } = withoutNumbers(raw)
  return { search, replace, ...(startLine !== undefined && startLine > 0 && { startLine }) }
}

function unescapeMarker(line: string): string {
  return line.replace(ESCAPED, '')
}

/** Models copy lines with the numbers of the read tool. They are removed only if every line has one. */
function withoutNumbers(block: { search: string[]; replace: string[] }): { search: string[]; replace: string[] } {
  const lines = [...block.search, ...block.replace]
  if (!lines.every((line) => NUMBERED.test(line))) return block
  const strip = (line: string) => line.replace(NUMBERED, '')
  return { search: block.search.map(strip), replace: block.replace.map(strip) }
}

function malformedDiff(at: number, found: string, expected: string): ToolFailure {
  return new ToolFailure(
    `Line ${at + 1} of the diff is '${found.trim()}' where '${expected}' was expected. If the file itself has such a line, put a backslash before it.\n\n${FORM}`,
  )
}

const FORM = `A block looks like this:
<<<<<<< SEARCH
:start_line:12
-------
the lines as they are
=======
the lines as they should be
>>>>>>> REPLACE`
