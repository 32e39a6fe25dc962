import { join } from 'node:path'
import { digest } from '../../overlay/digest.js'
import { codeOf } from '../../overlay/errno.js'
import { readWhole } from '../host/read.js'
import { isBinary, linesOf } from './attribution.js'
import { replayLedger } from './blame.js'
import { type LineHeads, noteHeads } from './line-heads.js'
import { printsOf } from './line-prints.js'
import type { Origin } from './origins.js'
import { wholeLines } from './read.js'

/** Who wrote the lines that stand now, of every file the ledger has lines of; by path, in order. */
export async function standingLines(root: string, ledger: string): Promise<ReadonlyMap<string, readonly Origin[]>> {
  const heads: LineHeads = new Map()
  for (const { value } of wholeLines(ledger, ({ bytes }) => bytes.includes('"changes":[{'))) noteHeads(heads, value)
  const files = [...heads.keys()].sort().flatMap((path) => {
    const content = contentAt(root, path)
    return content === undefined ? [] : [{ path, prints: printsOf(linesOf(content)), digest: digest(content) }]
  })
  const replay = await replayLedger(ledger, new Set(files.flatMap(({ prints }) => prints)))
  return new Map(
    files.map((file) => [file.path, replay.linesAt(file.path, file.prints, file.digest).map(({ origin }) => origin)]),
  )
}

/** Undefined where no file of text is any more, and for a path that leads out: anybody may have written the record. */
function contentAt(root: string, path: string): Uint8Array | undefined {
  if (path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) return undefined
  try {
    const content = readWhole(join(root, path))
    return isBinary(content) ? undefined : content
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}
