import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { crc32 } from 'node:zlib'
import type { PackRef } from './content.js'
import { type Digest, digest } from './digest.js'
import { Errno } from './errno.js'
import type { Stage } from './stage.js'
import type { EditData, StageEdit } from './stage-edit.js'

/**
 * The stage's durable log: one line an edit, `<crc32 of the rest, 8 hex> <JSON>\n`, and beside it a pack that holds
 * contents by digest. The content goes to the pack before the line that names it goes to the log, so a line that is
 * whole has its content. A torn last line is a call that never returned: it is cut.
 */

export interface StageFiles {
  readonly log: string
  readonly pack: string
}

/** A log line: the edit, and where its bytes lie in the pack. */
type Line = StageEdit & { readonly data?: readonly [digest: Digest, offset: number, length: number] }

export interface StageLog {
  /** Answers where the edit's bytes lie, if it has any. */
  append(edit: StageEdit, data: EditData | undefined): PackRef | undefined
  /** Puts bytes into the pack alone: content that leaves memory. */
  keep(data: Uint8Array): PackRef
  /** Waits until all of it is on the medium. */
  sync(): void
  close(): void
}

export interface Replay {
  readonly edits: number
  /** Bytes of a torn or damaged tail that were left out. */
  readonly torn: number
}

/**
 * Replays a session's files into an empty stage. Reads only; a writer may be appending meanwhile.
 * Throws an Error naming file and line when a line before the last is damaged: that is no crash, and nothing is cut.
 */
export function replay(files: StageFiles, stage: Stage): Replay {
  const log = readIfThere(files.log)
  let start = 0
  let edits = 0
  while (start < log.length) {
    const end = log.indexOf(10, start)
    const line = end < 0 ? undefined : parseLine(log.subarray(start, end))
    if (!line && end >= 0 && end + 1 < log.length) throw damaged(files.log, edits + 1)
    if (!line) break
    const { data, ...edit } = line
    stage.apply(edit, data && packed(files.pack, data))
    edits++
    start = end + 1
  }
  return { edits, torn: log.length - start }
}

/**
 * Opens a session's files for appending, after a replay: a torn tail is cut, its bytes kept beside as `<log>.torn`.
 * @param each true: every edit is synced before its call returns.
 */
export function openStageLog(files: StageFiles, torn: number, each: boolean): StageLog {
  const log = fs.openSync(files.log, 'a+', 0o600)
  const pack = fs.openSync(files.pack, 'a+', 0o600)
  if (torn > 0) cutTail(log, files.log, torn)
  return new FileStageLog(log, pack, files.pack, each)
}

class FileStageLog implements StageLog {
  readonly #places = new Map<Digest, readonly [Digest, number, number]>()
  #logSize: number
  #packSize: number
  #dirty = false
  #closed = false

  constructor(
    private readonly log: number,
    private readonly pack: number,
    private readonly packPath: string,
    private readonly each: boolean,
  ) {
    this.#logSize = fs.fstatSync(log).size
    this.#packSize = fs.fstatSync(pack).size
  }

  append(edit: StageEdit, data: EditData | undefined): PackRef | undefined {
    // The numbers of closed files may be someone else's by now.
    if (this.#closed) throw new Errno('EBADF')
    const place = data instanceof Uint8Array ? this.#store(data) : undefined
    const line = Buffer.from(formatLine(place ? { ...edit, data: place } : edit))
    writeWhole(this.log, line, this.#logSize)
    this.#logSize += line.length
    this.#dirty = true
    if (this.each) this.sync()
    return place && packed(this.packPath, place)
  }

  keep(data: Uint8Array): PackRef {
    return packed(this.packPath, this.#store(data))
  }

  sync(): void {
    if (!this.#dirty || this.#closed) return
    fs.fsyncSync(this.pack)
    fs.fsyncSync(this.log)
    this.#dirty = false
  }

  close(): void {
    if (this.#closed) return
    this.sync()
    this.#closed = true
    fs.closeSync(this.log)
    fs.closeSync(this.pack)
  }

  #store(data: Uint8Array): readonly [Digest, number, number] {
    if (this.#closed) throw new Errno('EBADF')
    const key = digest(data)
    const known = this.#places.get(key)
    if (known) return known
    const place = [key, this.#packSize, data.length] as const
    writeWhole(this.pack, data, this.#packSize)
    this.#packSize += data.length
    this.#places.set(key, place)
    return place
  }
}

const CHUNK = 1 << 20

function packed(pack: string, [key, offset, size]: readonly [Digest, number, number]): PackRef {
  return {
    digest: key,
    size,
    *chunks() {
      const hash = createHash('sha256')
      const fd = fs.openSync(pack, 'r')
      try {
        for (let at = 0; at < size; ) {
          const chunk = Buffer.alloc(Math.min(CHUNK, size - at))
          const count = fs.readSync(fd, chunk, 0, chunk.length, offset + at)
          if (count === 0) break
          hash.update(chunk.subarray(0, count))
          yield chunk.subarray(0, count)
          at += count
        }
      } finally {
        fs.closeSync(fd)
      }
      if (`sha256:${hash.digest('hex')}` !== key)
        throw new Error(`The stage's pack is damaged: ${pack} does not hold ${key}.`)
    },
  }
}

function formatLine(line: Line): string {
  const json = JSON.stringify(line)
  return `${checksum(json)} ${json}\n`
}

function parseLine(bytes: Uint8Array): Line | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  const json = text.slice(9)
  if (text[8] !== ' ' || checksum(json) !== text.slice(0, 8)) return undefined
  return JSON.parse(json) as Line
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** Appends all of it or nothing: what a full disk took of it is cut off again, so the next line starts clean. */
function writeWhole(fd: number, data: Uint8Array, size: number): void {
  try {
    let done = 0
    while (done < data.length) done += fs.writeSync(fd, data, done, data.length - done)
  } catch (error) {
    fs.ftruncateSync(fd, size)
    throw error
  }
}

function damaged(log: string, line: number): Error {
  return new Error(`The stage log ${log} is damaged at line ${line}; nothing was changed. Restore the file, or move the \
session's directory away to start it anew.`)
}

function cutTail(fd: number, path: string, torn: number): void {
  const { size } = fs.fstatSync(fd)
  const tail = Buffer.alloc(torn)
  fs.readSync(fd, tail, 0, torn, size - torn)
  fs.appendFileSync(`${path}.torn`, tail)
  fs.ftruncateSync(fd, size - torn)
  fs.fsyncSync(fd)
}

function readIfThere(path: string): Buffer {
  try {
    return fs.readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
