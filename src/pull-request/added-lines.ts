/**
 * The numbers of the added lines of each file in a patch with `-U0`, from 1, from the headers of its hunks.
 * @param patch as git writes it, read as Latin-1: each file begins with a line `diff --git`
 */
export function addedLines(patch: string): number[][] {
  const files: number[][] = []
  let [left, removed] = [0, 0]
  let number = 0
  for (const line of linesOf(patch)) {
    if (left + removed === 0) {
      const [, old, start, count] = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
      if (start !== undefined) [removed, left, number] = [Number(old ?? 1), Number(count ?? 1), Number(start)]
      else if (line.startsWith('diff --git ')) files.push([])
    } else if (removed > 0 && line.startsWith('-')) removed--
    else if (left > 0 && line.startsWith('+')) {
      left--
      files.at(-1)?.push(number++)
    } else if (line.startsWith(' ')) {
      removed--
      left--
      number++
    }
  }
  return files
}

function* linesOf(text: string): Generator<string> {
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    yield text.slice(start, end)
    start = end + 1
  }
  yield text.slice(start)
}
