/**
 * The end of a block: its closing bracket, and the empty line below it. Such lines are the same everywhere, so a diff may take
 * the end of one function for that of another.
 */

const CLOSER = /^\s*[)\]}]+[;,)]*\s*$/
const HAS_TEXT = /[\p{L}\p{N}]/u
/** The limit of lines that are searched for the line that opens a block. */
const MAX_BLOCK = 2000

/**
 * Drops the match of a block end if its old block was a different block: neither the line that opens the block nor any
 * line in it matches.
 * @param found the old lines that each new line came from
 */
export function keepBlockEnds(
  old: readonly string[],
  now: readonly string[],
  found: readonly (readonly number[])[],
): (readonly number[])[] {
  const origins = [...found]
  for (const [line, [from, ...more]] of found.entries()) {
    if (from === undefined || more.length > 0) continue
    const above = line - 1
    if (isCloser(now[line])) {
      // A formatter may have broken a statement, so that its last line is now a bracket and was not one before.
      if (isCloser(old[from]) && !isSameBlock({ old, now, found }, line, from)) origins[line] = []
    } else if (now[line]?.trim() === '' && isCloser(now[above])) {
      if (!origins[above]?.includes(from - 1)) origins[line] = []
    }
  }
  return origins
}

/**
 * The line that opens the block which a line ends: a closing bracket, or the empty line below one.
 * @returns undefined for any other line
 */
export function blockOf(lines: readonly string[], line: number): number | undefined {
  if (isCloser(lines[line])) return openerOf(lines, line)
  return lines[line]?.trim() === '' && isCloser(lines[line - 1]) ? openerOf(lines, line - 1) : undefined
}

/** Whether a line closes the bracket that another line ends with. */
export function closes(opening: string, closing: string): boolean {
  const last = /[([{]\s*$/.exec(opening)?.[0].trim()
  return last !== undefined && closing.trimStart().startsWith(PAIRS[last] ?? '\0')
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

interface Compared {
  readonly old: readonly string[]
  readonly now: readonly string[]
  readonly found: readonly (readonly number[])[]
}

function isSameBlock({ old, now, found }: Compared, end: number, oldEnd: number): boolean {
  const [opener, oldOpener] = [openerOf(now, end), openerOf(old, oldEnd)]
  for (let line = opener; line < end; line++) {
    if (!HAS_TEXT.test(now[line] ?? '')) continue
    if (found[line]?.some((from) => from >= oldOpener && from < oldEnd && HAS_TEXT.test(old[from] ?? ''))) return true
  }
  return false
}

/**
 * Returns the nearest line above a closing bracket that is not indented more; the first searched line if there is none.
 */
function openerOf(lines: readonly string[], end: number): number {
  const depth = indentOf(lines[end] ?? '')
  const first = Math.max(0, end - MAX_BLOCK)
  for (let line = end - 1; line > first; line--) {
    const text = lines[line] ?? ''
    if (text.trim() !== '' && indentOf(text) <= depth) return line
  }
  return first
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function isCloser(line: string | undefined): boolean {
  return line !== undefined && CLOSER.test(line)
}
