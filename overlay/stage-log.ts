import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { crc32 } from 'node:zlib'
import type { PackRef } from './content.js'
import { type Digest, digest } from './digest.js'
import { Errno } from './errno.js'
import type { Stage } from './stage.js'
import type { EditData, PackSpan, StageEdit } from './stage-edit.js'

/**
 * The stage's durable log: one line an edit, `<crc32 of the rest, 8 hex> <JSON>\n`, and beside it a pack that holds
 * contents by digest. The content goes to the pack before the line that names it goes to the log, so a killed process
 * leaves at most a torn last line: a call that never returned. It is cut.
 *
 * A power loss can take more: any of what was never synced, lines and contents in whatever order. So the first line
 * after a sync says that all before it is on the medium. Damage there is damage; after it, it is where the tail is cut.
 */

export interface StageFiles {
  readonly log: string
  readonly pack: string
}

type PackPlace = readonly [digest: Digest, offset: number, length: number]

/** A log line: the edit, and where its bytes lie in the pack. `s`: all lines before it, and their bytes, were synced. */
type Line = { readonly s?: 1 } & StageEdit & { readonly data?: PackPlace }

/** How every line that has an `s` begins, its checksum left out. */
const AFTER_SYNC = ' {"s":1,'

export interface StageLog {
  /** Answers where the edit's bytes lie, if it has any. */
  append(edit: StageEdit, data: EditData | undefined): PackRef | undefined
  /** Puts bytes into the pack alone: content that leaves memory. */
  keep(data: Uint8Array): PackRef
  /** As {@link keep}; answers what the bytes are, and where. */
  store(data: Uint8Array): { readonly digest: Digest; readonly at: PackSpan }
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
 * @param isOwner true: nobody is appending, so contents of the tail are read too, and a missing one ends it.
 * Throws an Error naming file and line when a line that was synced is damaged: that is no crash, and nothing is cut.
 */
export function replay(files: StageFiles, stage: Stage, isOwner = false): Replay {
  const log = readIfThere(files.log)
  const synced = lastAfterSync(log)
  const packSize = sizeIfThere(files.pack)
  const isWhole = (place: PackPlace) => place[1] + place[2] <= packSize && (!isOwner || isReadable(files.pack, place))
  let start = 0
  let edits = 0
  while (start < log.length) {
    const end = log.indexOf(10, start)
    const line = end < 0 ? undefined : parseLine(log, start, end)
    if (!line && start < synced) throw damaged(files.log, edits + 1)
    if (!line || (start >= synced && line.data && !isWhole(line.data))) break
    stage.apply(line, line.data && packed(files.pack, line.data))
    edits++
    start = end + 1
  }
  return { edits, torn: log.length - start }
}

/** Where the last whole line begins that was written after a sync; 0 when there is none. */
function lastAfterSync(log: Buffer): number {
  for (let at = log.length; at > 0; ) {
    at = log.lastIndexOf(AFTER_SYNC, at - 1)
    if (at < 0) return 0
    const start = at - CHECKSUM
    const isLine = start === 0 || log[start - 1] === 10
    const end = log.indexOf(10, at)
    if (isLine && end >= 0 && parseLine(log, start, end)) return start
  }
  return 0
}

function isReadable(pack: string, place: PackPlace): boolean {
  try {
    for (const _ of packed(pack, place).chunks());
    return true
  } catch {
    return false
  }
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
  readonly #places = new Map<Digest, PackPlace>()
  #logSize: number
  #packSize: number
  #dirty = false
  /** Nothing was appended since the last sync. */
  #fresh = false
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
    this.#write({ ...(this.#fresh && { s: 1 }), ...edit, ...(place && { data: place }) })
    this.#dirty = true
    if (this.each) this.sync()
    return place && packed(this.packPath, place)
  }

  keep(data: Uint8Array): PackRef {
    return packed(this.packPath, this.#store(data))
  }

  store(data: Uint8Array): { digest: Digest; at: PackSpan } {
    const [key, offset, size] = this.#store(data)
    return { digest: key, at: [offset, size] }
  }

  sync(): void {
    if (!this.#dirty || this.#closed) return
    fs.fsyncSync(this.pack)
    fs.fsyncSync(this.log)
    this.#dirty = false
    this.#fresh = true
  }

  close(): void {
    if (this.#closed) return
    this.sync()
    // Not worth a sync of its own: without it the next opener only has more to look at.
    if (this.#fresh) this.#write({ s: 1, op: 'synced', t: '0' })
    this.#closed = true
    fs.closeSync(this.log)
    fs.closeSync(this.pack)
  }

  #write(line: Line): void {
    const bytes = Buffer.from(formatLine(line))
    writeWhole(this.log, bytes, this.#logSize)
    this.#logSize += bytes.length
    this.#fresh = false
  }

  #store(data: Uint8Array): PackPlace {
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

/** Bytes of a pack. Throws when what is there is not what was stored, or the pack cannot be read. */
export function readPacked(pack: string, key: Digest, [offset, size]: PackSpan): Buffer {
  return Buffer.concat([...packed(pack, [key, offset, size]).chunks()])
}

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
    const fd = fs.openSync(this.pack, 'r')
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
      throw new Error(`The stage's pack is damaged: ${this.pack} does not hold ${this.digest}.`)
  }
}

function packed(pack: string, [key, offset, size]: PackPlace): PackRef {
  return new Packed(pack, key, offset, size)
}

/** Hex digits of a line's checksum. */
const CHECKSUM = 8

function formatLine(line: Line): string {
  const json = JSON.stringify(line)
  return `${checksum(json)} ${json}\n`
}

/** The line between two bytes of a log; undefined where it is not whole. */
function parseLine(log: Buffer, start: number, end: number): Line | undefined {
  const json = start + CHECKSUM + 1
  if (end < json || log[json - 1] !== SPACE) return undefined
  if (log.toString('latin1', start, json - 1) !== checksum(log.subarray(json, end))) return undefined
  return JSON.parse(log.toString('utf8', json, end)) as Line
}

const SPACE = 32

function checksum(json: string | Uint8Array): string {
  return crc32(json).toString(16).padStart(CHECKSUM, '0')
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

function sizeIfThere(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
