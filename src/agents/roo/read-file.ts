import { z } from 'zod'
import type { Session } from '../../index.js'
import { codeOf, readText } from './files.js'
import { numbered, splitLines } from './lines.js'
import { defineTool, lineArgument, pathArgument, ToolFailure } from './tool.js'

/** Lines shown when the call names no limit, and characters shown of one line, as in the host. */
const LINES = 2000
const LINE_LENGTH = 2000

const rangeSchema = z.union([
  z.tuple([z.int().positive(), z.int().positive()]),
  z.object({ start: z.int().positive(), end: z.int().positive() }).transform(({ start, end }) => [start, end] as const),
])
const ranges = z.array(rangeSchema).nullish()
const entry = z.object({ path: pathArgument, line_ranges: ranges, lineRanges: ranges })
const schema = z
  .object({
    path: pathArgument.nullish(),
    mode: z.enum(['slice'], { error: 'Only the mode slice is supported: give offset and limit.' }).nullish(),
    offset: lineArgument,
    limit: lineArgument,
    files: z.array(entry).min(1).nullish(),
  })
  .refine(({ path, files }) => path != null || files != null, { path: ['path'], error: 'A path is required.' })

interface Slice {
  readonly offset: number
  readonly limit: number
}

/**
 * `read_file`: a file's lines with their numbers, from `offset` (1 is the first), at most `limit`. The older form with
 * `files` shows several, or several ranges of one.
 */
export const readFile = defineTool('read_file', 'read', schema, ({ path, offset, limit, files }) => ({
  async run(session) {
    if (files == null) return readOne(session, path ?? '', [{ offset: offset ?? 1, limit: limit ?? LINES }])
    const [only, second] = files
    if (only !== undefined && second === undefined) return readEntry(session, only)
    const results: string[] = []
    for (const file of files) results.push(await readEntry(session, file).catch((error) => unread(file.path, error)))
    return results.join('\n\n---\n\n')
  },
}))

async function readEntry(session: Session, file: z.output<typeof entry>): Promise<string> {
  const asked = file.line_ranges ?? file.lineRanges ?? []
  const slices = asked.map(([start, end]) => ({ offset: start, limit: Math.max(0, end - start + 1) }))
  return readOne(session, file.path, slices.length > 0 ? slices : [{ offset: 1, limit: LINES }])
}

/** Among several files one that cannot be read does not hide the others. */
function unread(path: string, error: unknown): string {
  if (error instanceof ToolFailure || codeOf(error) !== undefined) {
    return `File: ${path}\nError: ${error instanceof Error ? error.message : String(error)}`
  }
  throw error
}

async function readOne(session: Session, path: string, slices: readonly Slice[]): Promise<string> {
  const text = await readText(session, path)
  if (text.includes('\0')) throw new ToolFailure(`${path} is a binary file.`)
  if (text === '') return `File: ${path}\nNote: the file is empty.`
  const lines = splitLines(text).map((line) => line.text)
  if (lines.at(-1) === '') lines.pop()
  return [`File: ${path}`, ...slices.map((slice) => show(lines, slice, path))].join('\n')
}

function show(lines: readonly string[], { offset, limit }: Slice, path: string): string {
  if (offset > lines.length) throw new ToolFailure(`${path} has ${lines.length} lines; there is no line ${offset}.`)
  const shown = lines.slice(offset - 1, offset - 1 + limit)
  const body = numbered(shown.map(shortened), offset)
  const next = offset + shown.length
  if (next > lines.length) return body
  return `Lines ${offset}-${next - 1} of ${lines.length}. To read on, call read_file with offset=${next} and limit=${limit}.\n\n${body}`
}

function shortened(line: string): string {
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)} [line cut]` : line
}
