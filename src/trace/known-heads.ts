import { sha256hex } from '../../overlay/index.js'
import { foldForeign, type Head, NO_HEAD, ownFieldsOf } from './chain.js'
import { parseLine, readLines } from './lines.js'

/** Hex digits of a hash that make a number; what they find is compared whole. */
const DIGITS = 12

/**
 * Finds where a branch begins: the end of the chain as it was behind an earlier line. Few ledgers have a branch, so the
 * file is looked through when the first one is asked for: 40 bytes of memory a line from then on.
 */
export class KnownHeads {
  #places: Map<number, number> | undefined

  constructor(private readonly fd: number) {}

  /** @param end the byte offset to look up to: what is read there is not known to be good yet. */
  at(hash: string | null, end: number): Head | undefined {
    if (hash === null) return NO_HEAD
    this.#places ??= placesIn(this.fd)
    const start = this.#places.get(Number.parseInt(hash.slice(0, DIGITS), 16))
    return start !== undefined && start < end ? this.#newerThan(hash, start) : undefined
  }

  #newerThan(wanted: string, start: number): Head | undefined {
    // A line of ours says by itself where it stands.
    const own = headsFrom(this.fd, start).next().value
    if (own?.own != null) return own.hash === wanted ? own : undefined
    for (const head of headsFrom(this.fd, 0)) if (head.hash === wanted) return head
    return undefined
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

/** The end of the chain behind each line, as its lines say; to the first that cannot be read. */
function* headsFrom(fd: number, offset: number): Generator<Head, undefined> {
  let head: Head = NO_HEAD
  for (const line of readLines(fd, offset)) {
    const parsed = parseLine(line)
    if ('problem' in parsed) return
    const hash = sha256hex(line.bytes)
    const own = ownFieldsOf(parsed.value)
    if (own !== undefined && 'problem' in own) return
    if (own === undefined) head = { ...head, hash, foreign: foldForeign(head.foreign, hash) }
    else head = { ...NO_HEAD, ledger: own.ledger, seq: own.seq, hash, own: { hash, start: line.start, end: line.end } }
    yield head
  }
}
