import { sha256hex } from '../../overlay/digest.js'

/**
 * Names a file's hunks by what they take out and put in, never by line numbers: an edit elsewhere in the file, or the
 * commit of a neighbour, leaves a hunk's id as it is. The context around a hunk does not count, lines between its own
 * changes do. Hunks that say the same are told apart by their order.
 * @param hunks each hunk's lines with their marks (`-`, `+`, ` `, `\`)
 */
export function hunkIds(path: string, hunks: readonly (readonly string[])[]): string[] {
  const seen = new Map<string, number>()
  return hunks.map((lines) => {
    const text = ownLines(lines).join('\n')
    const ordinal = seen.get(text) ?? 0
    seen.set(text, ordinal + 1)
    return `h_${sha256hex(JSON.stringify([path, text, ordinal])).slice(0, 16)}`
  })
}

function ownLines(lines: readonly string[]): readonly string[] {
  const own = (line: string) => line.startsWith('-') || line.startsWith('+')
  const last = lines.findLastIndex(own)
  // "No newline at end of file" belongs to the line it follows.
  const end = lines[last + 1]?.startsWith('\\') ? last + 2 : last + 1
  return lines.slice(lines.findIndex(own), end)
}
