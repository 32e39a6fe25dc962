import { createHash } from 'node:crypto'
import fs from 'node:fs'
import type { PackRef } from './content.js'
import type { Digest } from './digest.js'
import { openRegular } from './regular.js'
import type { PackSpan } from './stage-edit.js'

/** A session's pack: the contents that its log names, one after the other. */

/** The place of a content in a pack, in bytes. */
export type PackPlace = readonly [digest: Digest, offset: number, length: number]

const CHUNK = 1 << 20

class Packed implements PackRef {
  constructor(
    private readonly pack: string,
    readonly digest: Digest,
    private readonly offset: number,
    readonly size: number,
  ) {}

  *chunks(): Generator<Uint8Array, undefined> {
    const hash = createHash('sha256')
    const fd = openRegular(this.pack, true)
    try {
      for (let at = 0; at < this.size; ) {
        const chunk = Buffer.alloc(Math.min(CHUNK, this.size - at))
        const count = fs.readSync(fd, chunk, 0, chunk.length, this.offset + at)
        if (count === 0) break
        hash.update(chunk.subarray(0, count))
        yield chunk.subarray(0, count)
        at += count
      }
    } finally {
      fs.closeSync(fd)
    }
    if (`sha256:${hash.digest('hex')}` !== this.digest)
      throw new Error(`The stage's pack is damaged: ${this.pack} does not contain ${this.digest}.`)
  }
}

/** Returns a content in a pack. */
export function packRef(pack: string, [key, offset, size]: PackPlace): PackRef {
  return new Packed(pack, key, offset, size)
}

/** Returns whether a pack has a content, complete. */
export function isReadable(pack: string, place: PackPlace): boolean {
  try {
    for (const _ of packRef(pack, place).chunks());
    return true
  } catch {
    return false
  }
}

/** Returns bytes of a pack. Throws if they differ from the stored bytes, or the pack cannot be read. */
export function readPacked(pack: string, key: Digest, [offset, size]: PackSpan): Buffer {
  return Buffer.concat([...packRef(pack, [key, offset, size]).chunks()])
}
