/** Generates pieces of Markdown. */

/** A table with aligned columns. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')))
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |`
  const [first = [], ...others] = cells
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}

export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
}

/** Generates the text of each part of a document, by the part's name. */
export type Parts = Readonly<Record<string, () => string | Promise<string>>>

const PART = /<!-- generated: ([\w-]+) -->\n[\s\S]*?<!-- end -->/g

/**
 * Replaces the generated parts of a document: the text between `<!-- generated: NAME -->` and `<!-- end -->`.
 * Rejects for an unknown part in the document, and for a part that the document lacks.
 */
export async function fillParts(document: string, parts: Parts): Promise<string> {
  const names = [...document.matchAll(PART)].map(([, name = '']) => name)
  const missing = Object.keys(parts).filter((name) => !names.includes(name))
  if (missing.length > 0) throw new Error(`The document has no place for ${missing.join(', ')}.`)
  const texts = new Map<string, string>()
  for (const name of names) {
    const generate = parts[name]
    if (!generate) throw new Error(`The part ${name} is unknown.`)
    texts.set(name, await generate())
  }
  return document.replace(
    PART,
    (_, name: string) => `<!-- generated: ${name} -->\n\n${texts.get(name) ?? ''}\n\n<!-- end -->`,
  )
}
