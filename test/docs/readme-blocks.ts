/** Parses the README's fenced blocks. */

export interface Block {
  readonly language: string
  /** The line of the opening fence. */
  readonly line: number
  readonly text: string
}

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: { language: string; line: number; lines: string[] } | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^```(\w*)$/.exec(line)
    if (!fence) open?.lines.push(line)
    else if (!open) open = { language: fence[1] ?? '', line: index + 1, lines: [] }
    else {
      blocks.push({ language: open.language, line: open.line, text: open.lines.map((each) => `${each}\n`).join('') })
      open = undefined
    }
  }
  if (open) throw new Error(`The fence of line ${open.line} is never closed.`)
  return blocks
}

export interface Step {
  readonly command: string
  readonly output: string
}

/** A console block: a line with `$ ` is a command, and its output follows. */
export function stepsOf({ text, line }: Block): Step[] {
  const steps: { command: string; output: string }[] = []
  for (const each of text.split('\n').slice(0, -1)) {
    const last = steps.at(-1)
    if (each.startsWith('$ ')) steps.push({ command: each.slice(2), output: '' })
    else if (last) last.output += `${each}\n`
    else throw new Error(`The console block of line ${line} prints before it runs anything.`)
  }
  return steps
}

/** The file name in a comment on the first line of a block. */
export function fileOf({ text, line }: Block): string {
  const name = /^(?:#|\/\/) (\S+)\n/.exec(text)?.[1]
  if (name === undefined) throw new Error(`The block of line ${line} names no file in its first line.`)
  return name
}

/** Replaces parts that differ between runs. */
export function normalizeOutput(text: string, root: string): string {
  return text
    .replaceAll(root, '/home/ada')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/git commit [0-9a-f]{10}\b/g, 'git commit <id>')
    .replace(/Trace-Head: \d+:[0-9a-f]{64}/g, 'Trace-Head: <head>')
    .replace(/sha256:[0-9a-f…]+/g, '<digest>')
    .replace(/\b\d+-[0-9a-f]{8}\b/g, '<tx>')
    .replace(/\b\d+\.\d s\b/g, '<seconds>')
}

/** A line with only `...` matches any lines. */
export function matchesOutput(shown: string, printed: string): boolean {
  const pattern = shown
    .split('\n')
    .map((line) => (line === '...' ? '(?:.*\n)*?.*' : line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('\n')
  return new RegExp(`^${pattern}$`).test(printed)
}
