import { sha256hex } from '../../overlay/digest.js'
import { foldForeign, type Head, NO_HEAD, ownFieldsOf, type Tip } from './chain.js'
import { parseLine, readLines } from './lines.js'

/** Lines whose place in the chain is at hand; and how often an older one is looked for in the file. */
const RECENT = 16_384
const MOST_LOOKS = 1000

/** Finds where a branch begins: the end of the chain as it was behind an earlier line. */
export class KnownHeads {
  readonly #recent = new Map<string, Head>()
  #isWhole: boolean
  #looks = 0

  /** @param from where the reading begins: what stands before it is found in the file. */
  constructor(
    private readonly fd: number,
    from: Tip,
  ) {
    this.#isWhole = from.lines === 0
  }

  note(tip: Tip): void {
    if (tip.hash === null) return
    this.#recent.set(tip.hash, tip)
    if (this.#recent.size <= RECENT) return
    this.#isWhole = false
    const [oldest] = this.#recent.keys()
    if (oldest !== undefined) this.#recent.delete(oldest)
  }

  /** @param end the byte offset to look up to: what is read there is not known to be good yet. */
  at(hash: string | null, end: number): Head | undefined {
    if (hash === null) return NO_HEAD
    const known = this.#recent.get(hash)
    if (known !== undefined || this.#isWhole || this.#looks++ >= MOST_LOOKS) return known
    return this.#inFile(hash, end)
  }

  /** Whether a line stands among the recent ones. */
  has(hash: string): boolean {
    return this.#recent.has(hash)
  }

  #inFile(wanted: string, end: number): Head | undefined {
    let head: Head = NO_HEAD
    for (const line of readLines(this.fd)) {
      const parsed = parseLine(line)
      if (line.start >= end || 'problem' in parsed) return undefined
      const hash = sha256hex(line.bytes)
      const own = ownFieldsOf(parsed.value)
      if (own !== undefined && 'problem' in own) return undefined
      head =
        own === undefined
          ? { ...head, hash, foreign: foldForeign(head.foreign, hash) }
          : {
              ...NO_HEAD,
              ledger: own.ledger,
              seq: own.seq,
              hash,
              own: { hash, start: line.start, end: line.end },
            }
      if (hash === wanted) return head
    }
    return undefined
  }
}
