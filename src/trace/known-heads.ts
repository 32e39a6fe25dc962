import { sha256hex } from '../../overlay/index.js'
import { foldLine, type Head, NO_HEAD, ownFieldsOf } from './chain.js'
import { parseLine, readLines } from './lines.js'

/** Hex digits of a hash that are used as the map's key. A match is compared in full. */
const DIGITS = 12

/**
 * Finds the point where a branch begins: the end of the chain after an earlier line. Few ledgers have a branch, so the
 * file is indexed on the first lookup, at 40 bytes of memory per line.
 */
export class KnownHeads {
  #places: Map<number, number> | undefined
  /** The heads that were found, so that many branches that begin at one long line read it once. */
  readonly #found = new Map<string, Head>()
  /** The search for lines of other tools, from the start of the file. The next search continues it. */
  #walk: Generator<Head, undefined> | undefined

  constructor(private readonly fd: number) {}

  /** @param end the byte offset where the search ends: later lines are not checked yet */
  at(hash: string | null, end: number): Head | undefined {
    if (hash === null) return NO_HEAD
    this.#places ??= placesIn(this.fd)
    const start = this.#places.get(Number.parseInt(hash.slice(0, DIGITS), 16))
    if (start === undefined || start >= end) return undefined
    return this.#found.get(hash) ?? this.#newerThan(hash, start)
  }

  #newerThan(wanted: string, start: number): Head | undefined {
    // A line of ours names its own place in the chain.
    const own = headsFrom(this.fd, start).next().value
    if (own?.own != null) {
      if (own.hash !== wanted) return undefined
      this.#found.set(wanted, own)
      return own
    }
    this.#walk ??= headsFrom(this.fd, 0)
    for (let next = this.#walk.next(); !next.done; next = this.#walk.next()) {
      const head = next.value
      if (head.hash === null || head.own?.hash === head.hash) continue
      if (!this.#found.has(head.hash)) this.#found.set(head.hash, head)
      if (head.hash === wanted) break
    }
    return this.#found.get(wanted)
  }
}

function placesIn(fd: number): Map<number, number> {
  const places = new Map<number, number>()
  for (const { bytes, start } of readLines(fd)) {
    const key = Number.parseInt(sha256hex(bytes).slice(0, DIGITS), 16)
    if (!places.has(key)) places.set(key, start)
  }
  return places
}

/** The end of the chain after each line, without any check. Stops at a line that cannot be read. */
function* headsFrom(fd: number, offset: number): Generator<Head, undefined> {
  let head: Head = NO_HEAD
  for (const line of readLines(fd, offset)) {
    const parsed = parseLine(line)
    if ('problem' in parsed) return
    const hash = sha256hex(line.bytes)
    const own = ownFieldsOf(parsed.value)
    if (own !== undefined && 'problem' in own) return
    if (own === undefined) head = { ...head, hash, foreign: foldLine(head.foreign, hash) }
    else head = { ...NO_HEAD, ledger: own.ledger, seq: own.seq, hash, own: { hash, start: line.start, end: line.end } }
    yield head
  }
}
