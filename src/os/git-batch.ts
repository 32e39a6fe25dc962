/**
 * Reads the output of `git cat-file --batch`, in Latin-1: for each object that was asked for the content of its blob, undefined if git has
 * none. Ends early if the output does.
 * https://git-scm.com/docs/git-cat-file#_batch_output
 */
export function* blobsIn(output: string): Generator<Buffer | undefined> {
  for (let at = 0; ; ) {
    const end = output.indexOf('\n', at)
    if (end === -1) return
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(output.slice(at, end)) ?? []
    at = end + 1
    // `NAME missing` has no content.
    if (size === undefined) yield undefined
    else {
      const next = at + Number(size)
      if (next > output.length) return
      yield type === 'blob' ? Buffer.from(output.slice(at, next), 'latin1') : undefined
      at = next + 1
    }
  }
}
