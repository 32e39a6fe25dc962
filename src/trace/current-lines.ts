import { codeOf, digest } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import type { SharedFile } from '../core/layout.js'
import { linesOf } from './attribution.js'
import { replayLedger } from './blame.js'
import { readBlamed } from './blamed-file.js'
import { type LineHeads, noteHeads } from './line-heads.js'
import { printsOf } from './line-prints.js'
import { mayHaveChanges } from './line-words.js'
import type { Origin } from './origins.js'
import { wholeLines } from './read.js'

/** The origin of each current line, for every file whose lines the ledger records. */
export async function currentLines(root: string, ledger: SharedFile): Promise<ReadonlyMap<string, readonly Origin[]>> {
  const heads: LineHeads = new Map()
  for (const { value } of wholeLines(ledger, ({ bytes }) => mayHaveChanges(bytes))) noteHeads(heads, value)
  const files = [...heads.keys()].sort().flatMap((path) => {
    const content = contentAt(root, path)
    return content === undefined ? [] : [{ path, prints: printsOf(linesOf(content)), digest: digest(content) }]
  })
  const replay = await replayLedger(ledger, new Set(files.flatMap(({ prints }) => prints)))
  return new Map(
    files.map((file) => [file.path, replay.linesAt(file.path, file.prints, file.digest).map(({ origin }) => origin)]),
  )
}

/**
 * Undefined without a text file there, and for a path that leads out of the workspace: any tool may have written the
 * record.
 */
function contentAt(root: string, path: string): Uint8Array | undefined {
  try {
    const found = readBlamed(root, path)
    return found.path === path ? found.content : undefined
  } catch (error) {
    if (error instanceof EscrowError || codeOf(error) !== undefined) return undefined
    throw error
  }
}
