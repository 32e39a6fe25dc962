/** The limit of a YAML file. */
export const MAX_YAML_BYTES = 256 * 1024

/** The place of a fault in a YAML file, and how to correct it. Line and column count from 1. */
export interface YamlProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Returns a problem as a sentence, for a write that it refuses. */
export function describeProblem(file: string, { line, column, message }: YamlProblem): string {
  return `Policy Invalid: ${file}, line ${line}, column ${column}: ${message}. All writes are refused until a person has corrected it.`
}

/** Makes problems for offsets in one text. Counts its lines only once. */
export function problemsIn(text: string): (offset: number, message: string) => YamlProblem {
  let starts: readonly number[] | undefined
  return (offset, message) => {
    starts ??= [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1, message }
  }
}

export function problemAt(text: string, offset: number, message: string): YamlProblem {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n'), message }
}
