import { printOf } from './line-prints.js'

/**
 * The forms that lines may have had before a formatter changed them: other quotes, a missing or additional semicolon or
 * comma, a call on one line. A record has only the print of a line, so each form is looked up by its own print.
 */

/** The limit of lines that one statement may have been broken into. */
const MAX_SPAN = 12

/** How a statement may have been written, and how many lines it has now. */
export interface Form {
  readonly span: number
  readonly prints: readonly string[]
}

/** The other forms of the statement that begins at a line. */
export function formsAt(lines: readonly string[], at: number): Form {
  const first = lines[at] ?? ''
  const [text, span] = isOpen(first) ? joinLines(lines, at) : [first, 1]
  const bare = text.trim().replace(/[;,]$/, '')
  const quoted = [...new Set([bare, bare.replaceAll('"', "'"), bare.replaceAll("'", '"')])]
  const forms = quoted.flatMap((each) => [each, `${each};`, `${each},`])
  return { span, prints: [...new Set(forms.map(printOf))].filter((print) => span > 1 || print !== printOf(first)) }
}

const isOpen = (line: string) => /[([{,=]\s*$/.test(line) && balanceOf(line) > 0

/** The lines until the brackets are closed, as one without the comma before a closing bracket. */
function joinLines(lines: readonly string[], at: number): [text: string, span: number] {
  let [text, open] = ['', 0]
  for (let span = 1; span <= MAX_SPAN && at + span <= lines.length; span++) {
    const line = (lines[at + span - 1] ?? '').trim()
    text = /^[)\]}]/.test(line) ? text.replace(/,$/, '') + line : text + line
    open += balanceOf(line)
    if (open <= 0) return [text, span]
  }
  return [lines[at] ?? '', 1]
}

/** Opening brackets minus closing ones. */
function balanceOf(line: string): number {
  return (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0)
}
