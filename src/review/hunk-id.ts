import { sha256hex } from '../../overlay/digest.js'

/**
 * Names a file's hunks by their old and new text, the lines of context included, never by line numbers: an edit
 * elsewhere in the file, or the commit of a neighbour, leaves a hunk's id as it is. Where several hunks say the same
 * their order tells them apart, and they are bound to both sides whole: after any other change of the file it could
 * not be told which of them is which.
 * @param hunks each hunk's lines with their marks (`-`, `+`, ` `, `\`)
 * @param sides names the two contents
 */
export function hunkIds(path: string, hunks: readonly (readonly string[])[], sides: () => string): string[] {
  const texts = hunks.map((lines) => lines.join('\n'))
  const count = new Map<string, number>()
  for (const text of texts) count.set(text, (count.get(text) ?? 0) + 1)
  const seen = new Map<string, number>()
  return texts.map((text) => {
    const ordinal = seen.get(text) ?? 0
    seen.set(text, ordinal + 1)
    const apart = count.get(text) === 1 ? [] : [ordinal, sides()]
    return `h_${sha256hex(JSON.stringify([path, text, ...apart])).slice(0, 16)}`
  })
}
