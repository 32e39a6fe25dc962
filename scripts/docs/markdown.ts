/** Pieces of Markdown that are made, not typed. */

/** A table whose columns are as wide as their widest cell. */
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

/** What a generated part of a document is called → its text, made when it is asked for. */
export type Parts = Readonly<Record<string, () => string | Promise<string>>>

const PART = /<!-- generated: ([\w-]+) -->\n[\s\S]*?<!-- \/generated -->/g

/**
 * A document with its generated parts made anew: what stands between `<!-- generated: NAME -->` and `<!-- /generated -->`.
 * Rejects where a part is unknown, and where one there is stands nowhere.
 */
export async function filled(document: string, parts: Parts): Promise<string> {
  const names = [...document.matchAll(PART)].map(([, name = '']) => name)
  const lost = Object.keys(parts).filter((name) => !names.includes(name))
  if (lost.length > 0) throw new Error(`No place for the generated ${lost.join(', ')}.`)
  const texts = new Map<string, string>()
  for (const name of names) {
    const make = parts[name]
    if (!make) throw new Error(`Nobody makes the part ${name}.`)
    texts.set(name, await make())
  }
  return document.replace(
    PART,
    (_, name: string) => `<!-- generated: ${name} -->\n\n${texts.get(name) ?? ''}\n\n<!-- /generated -->`,
  )
}
