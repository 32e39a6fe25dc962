import { createHash } from 'node:crypto'

/**
 * Compares two git indexes by what they list. Git also rewrites an index when it only refreshes the times of files, for example in
 * `git status`. Format: git-scm.com/docs/gitformat-index, versions 2 to 4.
 */

const SIGNATURE = 'DIRC'
const HEADER_BYTES = 12
/** Times, device, inode, and between them the mode. */
const MODE_AT = 24
const MODE_BYTES = 4
const STAT_BYTES = 40
const FLAG_BYTES = 2
const IS_EXTENDED = 0x4000
const EXTENSION_HEADER_BYTES = 8
/** Holds entries of another file (a split index). All other extensions are caches. */
const SPLIT_INDEX = 'link'

/** Whether two indexes list the same entries. False if either is unreadable or uses an unknown format. */
export function listsSame(one: Buffer, other: Buffer): boolean {
  const [listing, expected] = [listingOf(one), listingOf(other)]
  return listing !== undefined && expected !== undefined && listing.equals(expected)
}

/** The entries without the cached state of their files; undefined if the format is unknown. */
function listingOf(index: Buffer): Buffer | undefined {
  // The length of an id depends on the repository. The checksum fits only one of the two.
  return readListing(index, 20) ?? readListing(index, 32)
}

function readListing(index: Buffer, idBytes: number): Buffer | undefined {
  if (index.toString('latin1', 0, SIGNATURE.length) !== SIGNATURE || !isWhole(index, idBytes)) return undefined
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)]
  if (version < 2 || version > 4) return undefined
  const listing = new Listing(index)
  listing.add(0, HEADER_BYTES)
  let at: number | undefined = HEADER_BYTES
  for (let entry = 0; entry < count && at !== undefined; entry++) at = addEntry(listing, at, version, idBytes)
  return at !== undefined && addExtensions(listing, at, idBytes) ? listing.bytes() : undefined
}

/** Parts of an index, one after the other. */
class Listing {
  readonly #bytes: Buffer
  #length = 0

  constructor(readonly index: Buffer) {
    this.#bytes = Buffer.alloc(index.length)
  }

  add(from: number, to: number): void {
    this.#length += this.index.copy(this.#bytes, this.#length, from, to)
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Whether the index ends with its checksum, or with zeros if git is set to leave that out. */
function isWhole(index: Buffer, idBytes: number): boolean {
  const end = index.length - idBytes
  if (end < HEADER_BYTES) return false
  const found = index.subarray(end)
  const checksum = createHash(idBytes === 20 ? 'sha1' : 'sha256').update(index.subarray(0, end))
  return found.every((byte) => byte === 0) || checksum.digest().equals(found)
}

/** Adds the mode, the id, the flags and the name of an entry. Returns the offset of the next one; undefined if it is cut off. */
function addEntry(listing: Listing, at: number, version: number, idBytes: number): number | undefined {
  const { index } = listing
  const flagsAt = at + STAT_BYTES + idBytes
  if (flagsAt + FLAG_BYTES > index.length) return undefined
  const isExtended = (index.readUInt16BE(flagsAt) & IS_EXTENDED) !== 0
  const nameAt = flagsAt + FLAG_BYTES + (isExtended ? FLAG_BYTES : 0)
  const end = nameEnd(index, nameAt, version)
  if (end < 0) return undefined
  listing.add(at + MODE_AT, at + MODE_AT + MODE_BYTES)
  listing.add(at + STAT_BYTES, end + 1)
  // Before version 4, one to eight NULs fill an entry up to a multiple of eight bytes.
  return version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8
}

/** The offset of the NUL after a name. In version 4 a number comes first: the bytes that the name does not share with the one before. */
function nameEnd(index: Buffer, nameAt: number, version: number): number {
  let from = nameAt
  if (version === 4) {
    while (from < index.length && (index.readUInt8(from) & 0x80) !== 0) from++
    from++
  }
  return index.indexOf(0, from)
}

/** Adds the extensions that hold entries. Returns false if the index does not end with the last of them and its checksum. */
function addExtensions(listing: Listing, from: number, idBytes: number): boolean {
  const { index } = listing
  let at = from
  const end = index.length - idBytes
  while (at + EXTENSION_HEADER_BYTES <= end) {
    const next = at + EXTENSION_HEADER_BYTES + index.readUInt32BE(at + 4)
    if (index.toString('latin1', at, at + 4) === SPLIT_INDEX) listing.add(at, next)
    at = next
  }
  return at === end
}
