/** A model of the authors of lines that does not use diffs: its lines are objects, moved with their owner. */

export interface Owned {
  readonly id: number
  /** The owner that blame must report; `unknown` and `human` for lines that no session wrote. */
  readonly owner: string
  /** The ledger knows the line: a committed file contained it. */
  seen: boolean
  readonly indent: number
}

export type Files = ReadonlyMap<string, readonly Owned[]>

/** One step inside a commit or outside of all. Its numbers select from the current files. */
export interface Step {
  readonly kind: 'insert' | 'remove' | 'replace' | 'indent' | 'move' | 'copy' | 'carry' | 'rename' | 'create' | 'delete'
  readonly a: number
  readonly b: number
  readonly c: number
}

export const KINDS = [
  ...(['insert', 'remove', 'replace', 'indent', 'move'] as const),
  ...(['copy', 'carry', 'rename', 'create', 'delete'] as const),
]

export function textOf(lines: readonly Owned[]): string {
  return lines.map(lineOf).join('')
}

/** Each has enough text to be followed alone, and no other is similar. */
function lineOf({ id, indent }: Owned): string {
  return `${' '.repeat(indent)}const value${id} = compute(alphabet, betagamma, deltaepsilon, zeta${id})\n`
}

/**
 * The lines that may be copied: an agent copies lines that the ledger knows; others copy lines that it will recognize.
 */
type MayTake = (line: Owned, path: string) => boolean

export class Writer {
  #next = 1
  #names = 1

  write(owner: string, count: number, seen = false): Owned[] {
    return Array.from({ length: count }, () => ({ id: this.#next++, owner, seen, indent: 0 }))
  }

  /** The files after a step; the same object if it has nothing to work on. */
  step(files: Files, { kind, a, b, c }: Step, ownerAt: (path: string) => string, mayTake: MayTake): Files {
    const paths = [...files.keys()].sort()
    const path = paths[a % Math.max(1, paths.length)]
    const fresh = `src/f${this.#names}.ts`
    if (kind === 'create' || path === undefined) {
      this.#names++
      return withFile(files, fresh, this.write(ownerAt(fresh), 1 + (b % 5)))
    }
    const lines = files.get(path) ?? []
    const at = b % (lines.length + 1)
    const [first, last] = [at, Math.min(lines.length, at + 1 + (c % 4))]
    const block = lines.slice(first, last)
    const rest = [...lines.slice(0, first), ...lines.slice(last)]
    if (kind === 'insert') return withFile(files, path, put(lines, at, this.write(ownerAt(path), 1 + (c % 3))))
    if (kind === 'remove') return withFile(files, path, rest)
    if (kind === 'replace') return withFile(files, path, put(rest, first, this.write(ownerAt(path), block.length)))
    if (kind === 'indent')
      return withFile(
        files,
        path,
        put(
          rest,
          first,
          block.map((line) => ({ ...line, indent: c % 8 })),
        ),
      )
    if (kind === 'move') return withFile(files, path, put(rest, (b + c) % (rest.length + 1), block))
    if (kind === 'delete') return withoutFile(files, path)
    if (kind === 'rename') {
      this.#names++
      return withFile(withoutFile(files, path), fresh, lines)
    }
    const other = paths[(a + 1 + c) % paths.length] ?? path
    if (other === path || !block.every((line) => mayTake(line, path))) return files
    const target = files.get(other) ?? []
    const taken = withFile(files, other, put(target, c % (target.length + 1), block))
    return kind === 'copy' ? taken : withFile(taken, path, rest)
  }
}

function put(lines: readonly Owned[], at: number, block: readonly Owned[]): Owned[] {
  return [...lines.slice(0, at), ...block, ...lines.slice(at)]
}

function withFile(files: Files, path: string, lines: readonly Owned[]): Files {
  return new Map([...files, [path, lines]])
}

function withoutFile(files: Files, path: string): Files {
  return new Map([...files].filter(([name]) => name !== path))
}
