/** Source files of the line histories. Each line with text has the number of the statement that wrote it. */

/** Random numbers from a seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0
  }

  /** A number from 0 to `below` - 1. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }

  /** @throws Error for an empty list */
  pick<T>(from: readonly T[]): T {
    const found = from[this.below(from.length)]
    if (found === undefined) throw new Error('There is nothing to pick from.')
    return found
  }
}

/** The author of a line: an agent, for an intent, or a person. A line from before the ledger has none. */
export interface Owner {
  readonly kind: 'agent' | 'person' | 'before'
  readonly name: string
  readonly intent?: string
}

/** The author of each statement, by its number. */
export class Owners {
  readonly #by: Owner[] = []

  next(owner: Owner): number {
    return this.#by.push(owner) - 1
  }

  /** The owner of each line. A line without a number belongs to the statement or the function above it. */
  of(lines: readonly string[]): (Owner | undefined)[] {
    let [statement, header]: (Owner | undefined)[] = []
    return lines.map((line) => {
      const id = idIn(line)
      if (id !== undefined) statement = this.#by[id]
      if (isHeader(line)) header = statement
      return id !== undefined || /^\s*\);?$/.test(line) ? statement : header
    })
  }
}

function idIn(line: string): number | undefined {
  const found = /[a-z](\d+)\b/.exec(line)?.[1]
  return found === undefined ? undefined : Number(found)
}

const isHeader = (line: string) => line.startsWith('function ')

/** A new function of `count` statements. */
export function block(owners: Owners, owner: Owner, count: number): string[] {
  const body = Array.from({ length: count }, () => statement(owners.next(owner)))
  const head = owners.next(owner)
  return [`function compute${head}(left${head}, right${head}) {`, ...body, '}', '']
}

function statement(id: number): string {
  const forms = [
    `  const value${id} = combine('alpha${id}', beta${id})`,
    `  log('entry${id}')`,
    `  return total${id} + offset${id}`,
    `  if (flag${id}) stop('gamma${id}')`,
  ]
  return forms[id % forms.length] ?? ''
}

interface Span {
  readonly from: number
  readonly to: number
}

/** The functions of a file, each with the empty line after it. */
export function blocksIn(lines: readonly string[]): Span[] {
  const starts = lines.flatMap((line, at) => (isHeader(line) ? [at] : []))
  return starts.map((from, n) => ({ from, to: starts[n + 1] ?? lines.length }))
}

/** The statements in functions. A formatter may have split one over several lines. */
function statementsIn(lines: readonly string[]): Span[] {
  const found: { from: number; to: number; id: number | undefined }[] = []
  for (const [at, line] of lines.entries()) {
    if (isHeader(line) || /^(?:\}|)$/.test(line)) continue
    const id = idIn(line)
    const last = found.at(-1)
    if (last?.to === at && (id === undefined || id === last.id)) last.to = at + 1
    else found.push({ from: at, to: at + 1, id })
  }
  return found
}

/** One edit of a file by its owner, as people and agents make them. */
export function editText(old: readonly string[], owners: Owners, owner: Owner, random: Random): string[] {
  const lines = [...old]
  const [blocks, statements] = [blocksIn(lines), statementsIn(lines)]
  const kind = random.below(10)
  if (kind < 3 || statements.length < 4 || blocks.length < 2) {
    const at = blocks.length === 0 ? 0 : random.pick(blocks).to
    lines.splice(at, 0, ...block(owners, owner, 1 + random.below(4)))
  } else if (kind < 6) {
    const { to } = random.pick(statements)
    lines.splice(to, 0, ...Array.from({ length: 1 + random.below(2) }, () => statement(owners.next(owner))))
  } else if (kind < 8) {
    const { from, to } = random.pick(statements)
    lines.splice(from, to - from, statement(owners.next(owner)))
  } else if (kind < 9) {
    const { from, to } = random.pick(statements)
    lines.splice(from, to - from)
  } else {
    const { from, to } = random.pick(blocks)
    const moved = lines.splice(from, to - from)
    const rest = blocksIn(lines)
    lines.splice(random.below(2) === 0 ? (rest[0]?.from ?? 0) : lines.length, 0, ...moved)
  }
  return lines
}

/** A formatter: its indentation, quotes and semicolons, and calls with several arguments over several lines. */
export function format(lines: readonly string[], style: number): string[] {
  const indent = style % 2 === 0 ? '    ' : '\t'
  return lines.flatMap((line) => {
    const text = line.trim()
    if (!/^\s/.test(line) || text === '') return [line]
    const quoted = text.replaceAll("'", '"')
    const whole = /[)\w]$/.test(quoted) && !/^["\w]+$/.test(quoted) ? `${quoted};` : quoted
    const call = style < 2 ? undefined : /^(const \w+ = \w+\()(.*), (\w+)(\);)$/.exec(whole)
    if (call === null || call === undefined) return [`${indent}${whole}`]
    const [, open = '', first = '', second = '', close = ''] = call
    return [`${indent}${open}`, `${indent}${indent}${first},`, `${indent}${indent}${second},`, `${indent}${close}`]
  })
}
