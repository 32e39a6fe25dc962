import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import type { PackRef } from './content.js'
import { type Digest, digest, digestInParts, PART } from './digest.js'
import { codeOf, Errno } from './errno.js'
import { formatLine, type Line, lastAfterSync, parseLine } from './log-line.js'
import { isReadable, type PackPlace, packRef } from './pack.js'
import { readRegular } from './regular.js'
import type { Stage } from './stage.js'
import type { EditData, PackSpan, StageEdit } from './stage-edit.js'

/**
 * The durable log of a stage: one line for each edit, `<crc32 of the rest, 8 hex> <JSON>\n`, and a pack with contents
 * by digest. A content is written to the pack before its line is written to the log, so a killed process leaves at most
 * a torn last line, of a call that never returned. It is cut off.
 *
 * A power loss can destroy more: any lines and contents since the last sync, in any order. So the first line after a
 * sync records that everything before it is on the medium. Damage before that line is an error. After it, the log is
 * cut off at the first damage.
 */

export interface StageFiles {
  readonly log: string
  readonly pack: string
}

/** The log of a stage's owner, open for appending. */
export interface StageLog {
  /** Returns the place of the edit's bytes, if it has any. */
  append(edit: StageEdit, data: EditData | undefined): PackRef | undefined
  /** Writes bytes only to the pack, for content that leaves memory. */
  keep(data: Uint8Array): PackRef
  /** As {@link keep}, one part per turn of the event loop. The result can be used in an edit. */
  keepInParts(data: Uint8Array): Promise<PackRef>
  /** As {@link keep}. Returns the digest and the place. */
  store(data: Uint8Array): { readonly digest: Digest; readonly at: PackSpan }
  /**
   * Makes everything durable on the disk before it returns.
   * @throws Error if another program has removed or replaced the files: nobody would find what was written to them
   */
  sync(): void
  /** Throws as {@link sync} does, and closes the files in any case. */
  close(): void
}

/** The result of a replay. */
export interface Replay {
  readonly edits: number
  /** The size in bytes of a torn or damaged tail that was left out. */
  readonly torn: number
  /** The pack that the log names: each compacted log has its own. */
  readonly pack: string
}

/**
 * Replays a session's files into an empty stage. Only reads, also while a writer appends.
 * @param isOwner whether nobody appends, so that contents of the tail are read too, and a missing one ends it
 * @throws Error with file and line when a synced line is damaged: no crash does that, so nothing is cut
 */
export function replay(files: StageFiles, stage: Stage, isOwner = false): Replay {
  const log = readIfThere(files.log)
  const synced = lastAfterSync(log)
  const pack = packOf(log, files)
  const packSize = sizeIfThere(pack)
  const isWhole = (place: PackPlace) => place[1] + place[2] <= packSize && (!isOwner || isReadable(pack, place))
  let start = 0
  let edits = 0
  while (start < log.length) {
    const end = log.indexOf(10, start)
    const line = end < 0 ? undefined : parseLine(log, start, end)
    if (!line && start < synced) throw damagedLog(files.log, edits + 1)
    if (!line || (start >= synced && line.data && !isWhole(line.data))) break
    stage.apply(line, line.data && packRef(pack, line.data))
    edits++
    start = end + 1
  }
  return { edits, torn: log.length - start, pack }
}

function packOf(log: Buffer, files: StageFiles): string {
  const first = parseLine(log, 0, log.indexOf(10))
  return first?.op === 'begin' ? `${dirname(files.log)}/${first.pack}` : files.pack
}

/**
 * Opens a session's files for appending, after a replay. Cuts a torn tail, whose bytes are kept as `<log>.torn`, and
 * removes the leftovers of a compaction.
 * @param each whether every edit is synced before its call returns
 */
export function openStageLog(files: StageFiles, { torn, pack }: Replay, each: boolean): StageLog {
  const log = fs.openSync(files.log, 'a+', 0o600)
  if (torn > 0) cutTail(log, files.log, torn)
  sweep(files, pack)
  return new FileStageLog(log, files.log, openPack(pack), pack, each)
}

/** Not in append mode: contents are written at their own positions. */
function openPack(path: string): number {
  return fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600)
}

/** Removes packs that no log names, and an unfinished log. */
function sweep(files: StageFiles, current: string): void {
  const dir = dirname(files.log)
  const packs = basename(files.pack)
  for (const name of fs.readdirSync(dir)) {
    const isPack = name === packs || (name.startsWith(`${packs}.`) && /^\d+$/.test(name.slice(packs.length + 1)))
    const isLeft = (isPack && name !== basename(current)) || name === `${basename(files.log)}.new`
    if (isLeft) fs.rmSync(`${dir}/${name}`)
  }
}

export class FileStageLog implements StageLog {
  readonly #places = new Map<Digest, PackPlace>()
  #logSize: number
  #packSize: number
  #dirty = false
  /** Whether nothing was appended since the last sync. */
  #fresh = false
  #closed = false

  constructor(
    private readonly log: number,
    private readonly logPath: string,
    private readonly pack: number,
    private readonly packPath: string,
    private readonly each: boolean,
  ) {
    this.#logSize = fs.fstatSync(log).size
    this.#packSize = fs.fstatSync(pack).size
  }

  append(edit: StageEdit, data: EditData | undefined): PackRef | undefined {
    // The number of a closed descriptor may belong to another file by now.
    if (this.#closed) throw new Errno('EBADF')
    const place = data instanceof Uint8Array ? this.#store(data) : data && this.#places.get(data.digest)
    this.#write({ ...(this.#fresh && { s: 1 }), ...edit, ...(place && { data: place }) })
    this.#dirty = true
    if (this.each) this.sync()
    return place && packRef(this.packPath, place)
  }

  keep(data: Uint8Array): PackRef {
    return packRef(this.packPath, this.#store(data))
  }

  async keepInParts(data: Uint8Array): Promise<PackRef> {
    if (this.#closed) throw new Errno('EBADF')
    const key = await digestInParts(data)
    const known = this.#places.get(key)
    if (known) return packRef(this.packPath, known)
    // The space is reserved first, so that no other bytes come between. If the write fails, it is a gap that no line
    // names.
    const place = [key, this.#packSize, data.length] as const
    this.#packSize += data.length
    // With a descriptor of its own: this one may be closed, and its number reused, during the write of a part.
    const own = await fs.promises.open(this.packPath, 'r+')
    try {
      for (let at = 0; at < data.length && !this.#closed; )
        at += (await own.write(data, at, Math.min(PART, data.length - at), place[1] + at)).bytesWritten
    } finally {
      await own.close()
    }
    if (this.#closed) throw new Errno('EBADF')
    this.#places.set(key, place)
    return packRef(this.packPath, place)
  }

  store(data: Uint8Array): { digest: Digest; at: PackSpan } {
    const [key, offset, size] = this.#store(data)
    return { digest: key, at: [offset, size] }
  }

  sync(): void {
    if (!this.#dirty || this.#closed) return
    fs.fsyncSync(this.pack)
    fs.fsyncSync(this.log)
    this.#assertInPlace()
    this.#dirty = false
    this.#fresh = true
  }

  close(): void {
    if (this.#closed) return
    try {
      this.sync()
      this.#assertInPlace()
      // Not worth a sync of its own: without this line the next opener only has more to check.
      if (this.#fresh) this.#write({ s: 1, op: 'synced', t: '0' })
    } finally {
      this.#closed = true
      fs.closeSync(this.log)
      fs.closeSync(this.pack)
    }
  }

  #assertInPlace(): void {
    if (!isAt(this.log, this.logPath)) throw removedFile(this.logPath)
    if (!isAt(this.pack, this.packPath)) throw removedFile(this.packPath)
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
    writeAll(this.pack, data, this.#packSize)
    this.#packSize += data.length
    this.#places.set(key, place)
    return place
  }
}

/** Writes at a position. After a failure no line names the bytes there, and the next write replaces them. */
function writeAll(fd: number, data: Uint8Array, position: number): void {
  for (let done = 0; done < data.length; ) done += fs.writeSync(fd, data, done, data.length - done, position + done)
}

/** Appends everything or nothing: on a full disk, a partial line is cut off again, so that the next line starts clean. */
function writeWhole(fd: number, data: Uint8Array, size: number): void {
  try {
    let done = 0
    while (done < data.length) done += fs.writeSync(fd, data, done, data.length - done)
  } catch (error) {
    fs.ftruncateSync(fd, size)
    throw error
  }
}

/** Whether a path still leads to an open file. */
function isAt(fd: number, path: string): boolean {
  const [open, found] = [fs.fstatSync(fd, { bigint: true }), fs.statSync(path, { bigint: true, throwIfNoEntry: false })]
  return open.ino === found?.ino && open.dev === found.dev
}

function removedFile(path: string): Error {
  return new Error(`Another program has removed or replaced ${path}, which keeps what this session stages. What is \
staged now is lost when the session ends.`)
}

function damagedLog(log: string, line: number): Error {
  return new Error(`The stage log ${log} is damaged at line ${line}; nothing was changed. Restore the file, or move the \
session's directory away to begin a new session.`)
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
    return readRegular(path, true)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

export function sizeIfThere(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
