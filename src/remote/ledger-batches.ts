import { sha256hex } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { foldLine, type LineFold, NO_LINES } from '../trace/remote-chain.js'
import { rawLines, readVerified, type VerifiedLine } from '../trace/verified.js'

/** The most lines of one batch. */
const BATCH_LINES = 1_000
/** The most bytes of a batch, unless one line is longer. */
const BATCH_BYTES = 4 * 1024 * 1024
/** One line, as it is sent: the hub takes no larger request. */
const MAX_LINE_BYTES = 8 * 1024 * 1024

/** Some lines of a ledger, one after the other. */
export interface Batch {
  /** The byte offset of the first one. */
  readonly start: number
  /** The lines before it. */
  readonly before: LineFold
  /** The lines up to its last one. */
  readonly after: LineFold
}

interface Planned {
  readonly batches: readonly Batch[]
  /** The first line that is too long to be sent: its number. No line from it on is sent. */
  readonly tooLong: number | undefined
}

/**
 * Verifies a ledger, and divides the lines that a hub lacks into batches.
 * @param there the lines that the hub already has
 * @throws EscrowError `ledger_corrupt` at any fault of the ledger, `ledger_fork` if it does not continue the lines of the hub
 */
export async function planBatches(layout: Layout, there: LineFold): Promise<Planned> {
  const { reader } = await readVerified(layout, () => new BatchReader(there))
  if (reader.isContinued) return reader
  const what = `the ${there.lines} lines that the hub has of it`
  throw new EscrowError(
    'ledger_fork',
    `The ledger does not continue ${what}: it was cut, rewritten or replaced, or another git branch is checked out. None of its lines was sent.`,
    {
      hint: 'Restore the ledger, or check out the branch that has those lines. If it was replaced on purpose, connect with a token of another name.',
    },
  )
}

/**
 * Reads the lines of a batch again. They must still be those that were verified.
 * @throws EscrowError `ledger_corrupt` otherwise
 */
export function readBatch(layout: Layout, { start, before, after }: Batch): Buffer {
  const parts: Buffer[] = []
  let all = before
  for (const line of rawLines(layout.ledgerFile, start)) {
    all = foldLine(all, sha256hex(line))
    parts.push(line, LF)
    if (all.lines === after.lines) break
  }
  if (all.lines === after.lines && all.sha256 === after.sha256) return Buffer.concat(parts)
  throw new EscrowError('ledger_corrupt', 'The ledger changed while it was sent.', { hint: 'Try again.' })
}

const LF = Buffer.from('\n')

class BatchReader implements Planned {
  readonly batches: Batch[] = []
  tooLong: number | undefined
  /** Whether the lines of the hub are the first ones of the ledger. */
  isContinued: boolean
  #all = NO_LINES
  #bytes = 0

  constructor(private readonly there: LineFold) {
    this.isContinued = there.lines === 0
  }

  read({ bytes, start, hash }: VerifiedLine): void {
    const before = this.#all
    this.#all = foldLine(before, hash)
    if (before.lines >= this.there.lines) this.#add({ start, before, after: this.#all }, bytes.length + 1)
    else if (this.#all.lines === this.there.lines) this.isContinued = this.#all.sha256 === this.there.sha256
  }

  #add(line: Batch, size: number): void {
    if (size > MAX_LINE_BYTES) this.tooLong ??= line.after.lines
    if (this.tooLong !== undefined) return
    const last = this.batches.at(-1)
    this.#bytes += size
    if (last === undefined || line.after.lines - last.before.lines > BATCH_LINES || this.#bytes > BATCH_BYTES) {
      this.batches.push(line)
      this.#bytes = size
    } else this.batches.splice(-1, 1, { start: last.start, before: last.before, after: line.after })
  }
}
