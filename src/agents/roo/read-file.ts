import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { codeOf, errorText } from '../../surface/index.js'
import { readText } from './files.js'
import { numberLines, splitLines } from './lines.js'
import { type ReadRequest, readArguments, type Slice } from './read-arguments.js'
import { defineTool } from './tool.js'

/** Most characters of a line, as in the host. */
const LINE_LENGTH = 2000

/**
 * `read_file`: a file's numbered lines from `offset` (1 is the first), at most `limit`; or the block of indentation around a line.
 * The older form with `files` returns several files, or several ranges of one.
 */
export const readFile = defineTool('read_file', readArguments, (files) => async (session) => {
  const [only, second] = files
  if (only !== undefined && second === undefined) return readOne(session, only)
  const results: string[] = []
  for (const file of files) results.push(await readOne(session, file).catch((error) => readFailure(file.path, error)))
  return results.join('\n\n---\n\n')
})

/** Among several files, an unreadable one does not hide the others. */
function readFailure(path: string, error: unknown): string {
  if (error instanceof ToolFailure || codeOf(error) !== undefined) {
    return `File: ${path}\nError: ${errorText(error)}`
  }
  throw error
}

async function readOne(session: Session, { path, slices }: ReadRequest): Promise<string> {
  const text = await readText(session, path)
  if (text.includes('\0')) throw new ToolFailure(`${path} is a binary file.`)
  if (text === '') return `File: ${path}\nNote: the file is empty.`
  const lines = splitLines(text).map((line) => line.text)
  if (lines.at(-1) === '') lines.pop()
  return [`File: ${path}`, ...slices(lines).map((slice) => formatSlice(lines, slice, path))].join('\n')
}

function formatSlice(lines: readonly string[], { offset, limit }: Slice, path: string): string {
  if (offset > lines.length) throw new ToolFailure(`${path} has ${lines.length} lines; there is no line ${offset}.`)
  const page = lines.slice(offset - 1, offset - 1 + limit)
  const body = numberLines(page.map(truncateLine), offset)
  const next = offset + page.length
  if (next > lines.length) return body
  return `Lines ${offset}-${next - 1} of ${lines.length}. To read on, call read_file with offset=${next} and limit=${limit}.\n\n${body}`
}

function truncateLine(line: string): string {
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)} [line cut]` : line
}
