import { defined } from '../core/defined.js'
import { ToolFailure } from './tool-failure.js'

/** One line of a chunk: kept, removed or added. */
export interface PatchLine {
  readonly op: ' ' | '-' | '+'
  readonly text: string
}

/** One change within a file of a patch. */
export interface PatchChunk {
  /** The text after `@@`: a line above the change, such as the head of a function. */
  readonly context?: string
  readonly lines: readonly PatchLine[]
  /** Whether the chunk ends at the end of the file. */
  readonly atEnd: boolean
}

/** The operation of a patch on one file. */
export type PatchOperation =
  | { readonly type: 'add'; readonly path: string; readonly content: string }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'update'; readonly path: string; readonly moveTo?: string; readonly chunks: readonly PatchChunk[] }

const HEADERS = { add: '*** Add File:', delete: '*** Delete File:', update: '*** Update File:' } as const
const MOVE = '*** Move to:'
const END_OF_FILE = '*** End of File'
const HEREDOC = /^<<\s*(['"]?)EOF\1$/

/**
 * Parses an `apply_patch` argument. Headers may be indented and their paths padded. The same parse is judged and applied, so no spelling
 * can differ between the two.
 * @throws ToolFailure with the number of the invalid line.
 */
export function parsePatch(patch: string): PatchOperation[] {
  const cursor = makeCursor(body(patch))
  const operations: PatchOperation[] = []
  while (!cursor.isAtEnd()) {
    if (cursor.peek().trim() === '') cursor.take()
    else operations.push(parseOperation(cursor))
  }
  if (operations.length === 0) throw new ToolFailure('The patch has no file operation.')
  return operations
}

interface Cursor {
  isAtEnd(): boolean
  peek(): string
  take(): string
  fail(problem: string): ToolFailure
}

function makeCursor(lines: readonly string[]): Cursor {
  let at = 0
  return {
    isAtEnd: () => at >= lines.length,
    peek: () => lines[at] ?? '',
    take: () => lines[at++] ?? '',
    // Line 1 is the begin marker, which is not among the lines.
    fail: (problem) => new ToolFailure(`Line ${at + 2} of the patch: ${problem}`),
  }
}

/** The lines between the two markers. */
function body(patch: string): string[] {
  let lines = patch.trim().split(/\r?\n/)
  if (HEREDOC.test(lines[0] ?? '') && lines.at(-1)?.trim() === 'EOF') lines = lines.slice(1, -1)
  if (lines[0]?.trim() !== '*** Begin Patch') throw new ToolFailure("The patch must begin with '*** Begin Patch'.")
  if (lines.at(-1)?.trim() !== '*** End Patch') throw new ToolFailure("The patch must end with '*** End Patch'.")
  return lines.slice(1, -1)
}

function parseOperation(cursor: Cursor): PatchOperation {
  const header = cursor.peek().trim()
  for (const type of ['add', 'delete', 'update'] as const) {
    if (!header.startsWith(HEADERS[type])) continue
    const path = header.slice(HEADERS[type].length).trim()
    if (path === '') throw cursor.fail(`'${header}' names no path.`)
    cursor.take()
    if (type === 'add') return { type, path, content: parseAdded(cursor) }
    if (type === 'delete') return { type, path }
    return parseUpdate(cursor, path)
  }
  throw cursor.fail(`'${header}' is none of ${Object.values(HEADERS).join(', ')}.`)
}

function parseAdded(cursor: Cursor): string {
  let content = ''
  while (!cursor.isAtEnd() && cursor.peek().startsWith('+')) content += `${cursor.take().slice(1)}\n`
  return content
}

function parseUpdate(cursor: Cursor, path: string): PatchOperation {
  let moveTo: string | undefined
  if (cursor.peek().trim().startsWith(MOVE)) {
    moveTo = cursor.peek().trim().slice(MOVE.length).trim()
    if (moveTo === '') throw cursor.fail(`'${MOVE}' names no path.`)
    cursor.take()
  }
  const chunks: PatchChunk[] = []
  while (!cursor.isAtEnd() && !isHeader(cursor.peek())) {
    if (cursor.peek().trim() === '') cursor.take()
    else chunks.push(parseChunk(cursor, chunks.length === 0))
  }
  if (chunks.length === 0 && moveTo === undefined) throw cursor.fail(`the update of ${path} has no change.`)
  return { type: 'update', path, chunks, ...defined({ moveTo }) }
}

function parseChunk(cursor: Cursor, isFirst: boolean): PatchChunk {
  let context: string | undefined
  if (/^@@( |$)/.test(cursor.peek())) context = cursor.take().slice(3)
  else if (!isFirst) throw cursor.fail(`expected '@@' before '${cursor.peek()}'.`)
  const lines: PatchLine[] = []
  let atEnd = false
  while (!cursor.isAtEnd() && !atEnd && !cursor.peek().startsWith('@@')) {
    const line = cursor.peek()
    if (line.trim() === END_OF_FILE) atEnd = true
    else if (isHeader(line)) break
    else lines.push(parseLine(cursor, line))
    cursor.take()
  }
  if (lines.length === 0) throw cursor.fail('a chunk has no line.')
  return { lines, atEnd, ...(context !== undefined && context.trim() !== '' && { context }) }
}

function parseLine(cursor: Cursor, line: string): PatchLine {
  const op = line[0]
  // Models drop the single space of an empty line that is kept.
  if (op === undefined) return { op: ' ', text: '' }
  if (op === ' ' || op === '-' || op === '+') return { op, text: line.slice(1) }
  throw cursor.fail(`'${line}' must begin with a space, '-' or '+'.`)
}

/** A chunk's own lines begin with a space, `-` or `+`: an indented `***` there is text of the file. */
function isHeader(line: string): boolean {
  return line.startsWith('***')
}
