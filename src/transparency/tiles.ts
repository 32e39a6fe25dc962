import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { readWhole } from '../os/read.js'
import { HASH_BYTES, type HashAt, nodeHash } from './merkle.js'

/** The files of a log (C2SP tlog-tiles): tiles of 256 hashes, eight levels of the tree apart, and the entries. */

export const TILE_WIDTH = 256
const TILE_HEIGHT = 8

/** Gives the hash with a number at a level of tiles: level 0 has the leaves. */
export type Stored = (tileLevel: number, index: number) => Buffer

/** The hash of any perfect subtree, from those that tiles store. */
export function hashesFrom(stored: Stored): HashAt {
  const at: HashAt = (level, index) =>
    level % TILE_HEIGHT === 0
      ? stored(level / TILE_HEIGHT, index)
      : nodeHash(at(level - 1, 2 * index), at(level - 1, 2 * index + 1))
  return at
}

/** The path of a tile. `level` is a number, or `data` for the entries. A tile of fewer than 256 hashes has its width in its name. */
export function tilePath(level: number | 'data', index: number, width = TILE_WIDTH): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const name = groups.map((group, n) => (n < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${name}${width < TILE_WIDTH ? `.p/${width}` : ''}`
}

/** How many hashes a level of tiles has in a tree. */
export function widthOf(tileLevel: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** tileLevel)
}

/** Reads the hashes of a published log of a size. Nothing in it is trusted: a proof made of wrong hashes proves nothing. */
export function readTiles(dir: string, size: number): HashAt {
  const known = new Map<string, Buffer>()
  return hashesFrom((level, index) => {
    const tile = Math.floor(index / TILE_WIDTH)
    const key = `${level}/${tile}`
    const bytes = known.get(key) ?? readTile(dir, level, tile, size)
    known.set(key, bytes)
    const start = (index % TILE_WIDTH) * HASH_BYTES
    return bytes.subarray(start, start + HASH_BYTES)
  })
}

function readTile(dir: string, level: number, tile: number, size: number): Buffer {
  const width = Math.min(TILE_WIDTH, widthOf(level, size) - tile * TILE_WIDTH)
  const bytes = readWidest(dir, level, tile, width)
  if (bytes !== undefined && bytes.length >= width * HASH_BYTES) return bytes
  throw new EscrowError('unsupported', `The log lacks ${tilePath(level, tile, width)}, or the file is too short.`, {
    hint: "Publish it again with 'escrow ledger publish', or copy it whole.",
  })
}

/** Whether a log was published with the lines of a tile. */
export function hasEntries(dir: string, tile: number, size: number): boolean {
  const width = Math.min(TILE_WIDTH, size - tile * TILE_WIDTH)
  return [width, TILE_WIDTH].some((each) => existsSync(join(dir, tilePath('data', tile, each))))
}

/** A partial tile may be gone once the tile is full. */
function readWidest(dir: string, level: number | 'data', tile: number, width: number): Buffer | undefined {
  return readIfThere(join(dir, tilePath(level, tile, width))) ?? readIfThere(join(dir, tilePath(level, tile)))
}

/** The entries of a tile, without their LF; undefined if the log was published without them. */
export function readEntries(dir: string, tile: number, size: number): Buffer[] | undefined {
  const width = Math.min(TILE_WIDTH, size - tile * TILE_WIDTH)
  const bytes = readWidest(dir, 'data', tile, width)
  if (bytes === undefined) return undefined
  const entries: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start)
    if (end === -1) break
    entries.push(bytes.subarray(start, end))
    start = end + 1
  }
  return entries
}

export function readIfThere(path: string): Buffer | undefined {
  try {
    return readWhole(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
