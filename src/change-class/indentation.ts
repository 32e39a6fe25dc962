import { Inconclusive } from './inconclusive.js'

const OPENING = new Set(['(', '[', '{'])
const CLOSING = new Set([')', ']', '}'])

/** The lines of Python: a line outside brackets begins a statement, and its column determines the block. */
export class Indentation {
  readonly #columns: number[] = [0]
  #brackets = 0
  #begun = false
  #blank: string | undefined

  constructor(private readonly text: string) {}

  /** Counts brackets, except those inside a formatted string. */
  leaf(text: string, isString: boolean): void {
    if (isString) return
    if (OPENING.has(text)) this.#brackets++
    if (CLOSING.has(text)) this.#brackets--
  }

  /** @returns the meaning of the line break before a leaf; undefined if the leaf begins no line */
  mark(gap: string, start: number): string | undefined {
    const begins = !this.#begun || (gap.includes('\n') && this.#brackets === 0)
    this.#begun = true
    if (!begins) return undefined
    const column = this.#column(start)
    let closed = 0
    while ((this.#columns.at(-1) ?? 0) > column) {
      this.#columns.pop()
      closed++
    }
    if ((this.#columns.at(-1) ?? 0) === column) return closed === 0 ? '\n' : `\n<${closed} `
    if (closed > 0) throw new Inconclusive('a line is indented as no line above it')
    this.#columns.push(column)
    return '\n> '
  }

  #column(start: number): number {
    const line = this.text.slice(this.text.lastIndexOf('\n', start - 1) + 1, start)
    // A byte order mark has no width.
    const indent = line.replace(/^\ufeff/, '')
    if (/[^ \t]/.test(indent)) throw new Inconclusive('a line begins with more than blanks')
    for (const blank of new Set(indent)) {
      this.#blank ??= blank
      if (blank !== this.#blank) throw new Inconclusive('both tabs and spaces indent')
    }
    return indent.length
  }
}
