import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { layoutAt } from '../os/workspace-state.js'
import { createFile, ensureDir, removeName, removeTree, renameSync, syncDir } from '../os/write.js'
import { readSigningKey } from '../trace/index.js'
import { rawLines, readVerified, type VerifiedLine } from '../trace/verified.js'
import { type Checkpoint, checkpointText, parseCheckpoint } from './checkpoint.js'
import { Leaves } from './leaves.js'
import { alone, readCheckpoint, readSeen, writeCheckpoint, writeSeen } from './log-store.js'
import { HASH_BYTES, leafHash, rootOf } from './merkle.js'
import { formatKey, formatNote, hasSigned, isKeyName, LOG_KEY, type NoteKey, noteKey, signNote } from './note.js'
import { hasEntries, readIfThere, TILE_WIDTH, tilePath, widthOf } from './tiles.js'

export interface PublishOptions {
  /** The root of the workspace. */
  readonly root: string
  readonly dir: string
  /** The log's name. By default it comes from the ledger's id. */
  readonly origin?: string | undefined
  /** Publishes no line of the ledger, only hashes. */
  readonly hashesOnly: boolean
}

export interface PublishedLog {
  readonly origin: string
  /** The number of lines. */
  readonly size: number
  /** In base64. */
  readonly root: string
  /** The log's key in one line, as verifiers need it. */
  readonly key: string
  /** How many lines are new since the last time. */
  readonly added: number
}

/**
 * Publishes a ledger as a transparency log of static files, or the lines that are new since the last time. The checkpoint is replaced
 * last, so a reader finds a whole log at any moment.
 * @throws EscrowError `ledger_corrupt` if the ledger has a fault, or does not continue what was published before
 */
export function publishLedger({ root, dir, origin: given, hashesOnly }: PublishOptions): Promise<PublishedLog> {
  const key = readSigningKey()
  if (key === undefined)
    throw new EscrowError('unsupported', 'There is no key to sign with.', { hint: "Make one with 'escrow keys'." })
  const layout = layoutAt(realpathSync(root))
  return alone(async (assertAlone) => {
    const { reader } = await readVerified(layout, () => new LedgerLeaves())
    const { leaves, ledger } = reader
    if (ledger === undefined) throw new EscrowError('nothing_selected', 'The ledger has no record yet.')
    const origin = given ?? `escrowfs/ledger/${ledger}`
    if (!isKeyName(origin)) throw new EscrowError('unsupported', `'${origin}' cannot name a log: it has spaces or '+'.`)
    const logKey = noteKey(origin, LOG_KEY, key)
    const there = publishedIn(dir, logKey)
    for (const each of [there, readSeen('published', origin)?.checkpoint]) if (each) assertContinues(leaves, each)
    const { size } = leaves
    const from = there?.size ?? 0
    const hash = rootOf(size, leaves.hashAt)
    writeTiles(dir, leaves, from)
    if (!hashesOnly) writeEntries(dir, layout, leaves, withEntries(dir, from))
    const text = checkpointText(origin, size, hash)
    const checkpoint = checkpointOf(formatNote({ text, signatures: [signNote(text, origin, key)] }))
    assertAlone()
    // Before it is public: after a crash in between, the same is published again.
    writeSeen('published', { key: formatKey(logKey), checkpoint })
    // Of the same size, the one that is there may have cosignatures.
    if (there?.size !== size) writeCheckpoint(dir, checkpoint)
    dropPartialTiles(dir, size, from, hashesOnly)
    return { origin, size, root: hash.toString('base64'), key: formatKey(logKey), added: size - from }
  })
}

class LedgerLeaves {
  readonly leaves = new Leaves()
  ledger: string | undefined

  read(line: VerifiedLine): void {
    this.leaves.read(line)
    this.ledger ??= line.ledger ?? undefined
  }
}

function checkpointOf(note: string): Checkpoint {
  const checkpoint = parseCheckpoint(note)
  if (checkpoint === undefined) throw new EscrowError('unsupported', 'The log has a name that is not one line.')
  return checkpoint
}

/** The checkpoint in a directory, which must be ours. */
function publishedIn(dir: string, key: NoteKey): Checkpoint | undefined {
  const there = readCheckpoint(dir)
  if (there === undefined || (there.origin === key.name && hasSigned(there.note, key))) return there
  const message = `${dir} has the log '${there.origin}', which is not signed by the key of this machine as '${key.name}'.`
  throw new EscrowError('unsupported', message, { hint: 'Publish to another directory.' })
}

function assertContinues(leaves: Leaves, { size, root, origin }: Checkpoint): void {
  if (size === 0 || (size <= leaves.size && rootOf(size, leaves.hashAt).equals(root))) return
  const message = `The ledger does not continue the ${size} lines that were published as '${origin}': they were changed, cut or put in another order.`
  throw new EscrowError('ledger_corrupt', message, {
    hint: 'Restore the ledger. If it was replaced on purpose, publish it under another name: --origin NAME.',
  })
}

function writeTiles(dir: string, leaves: Leaves, from: number): void {
  for (let level = 0; widthOf(level, leaves.size) > 0; level++) {
    const hashes = leaves.level(level)
    const count = hashes.length / HASH_BYTES
    for (let tile = Math.floor(widthOf(level, from) / TILE_WIDTH); tile * TILE_WIDTH < count; tile++) {
      const width = Math.min(TILE_WIDTH, count - tile * TILE_WIDTH)
      const start = tile * TILE_WIDTH * HASH_BYTES
      putFile(join(dir, tilePath(level, tile, width)), hashes.subarray(start, start + width * HASH_BYTES))
    }
  }
}

/** How many lines of a log of a size are there, without a gap: some of it may have been published without its lines. */
function withEntries(dir: string, size: number): number {
  let start = 0
  while (start < size && hasEntries(dir, start / TILE_WIDTH, size)) start += TILE_WIDTH
  return Math.min(start, size)
}

/** The lines of each tile, as they are in the ledger. They are read again, and must still be the lines that were verified. */
function writeEntries(dir: string, layout: Layout, leaves: Leaves, from: number): void {
  let index = Math.floor(from / TILE_WIDTH) * TILE_WIDTH
  const start = leaves.starts[index / TILE_WIDTH]
  if (start === undefined) return
  const hashes = leaves.level(0)
  let lines: Buffer[] = []
  const flush = () => {
    if (lines.length === 0) return
    const tile = Math.floor((index - 1) / TILE_WIDTH)
    putFile(join(dir, tilePath('data', tile, lines.length)), Buffer.concat(lines.flatMap((line) => [line, LF])))
    lines = []
  }
  for (const line of rawLines(layout.ledgerFile, start)) {
    if (index === leaves.size) break
    if (!leafHash(line).equals(hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES))) break
    lines.push(Buffer.from(line))
    index++
    if (index % TILE_WIDTH === 0) flush()
  }
  flush()
  if (index < leaves.size)
    throw new EscrowError('ledger_corrupt', `Line ${index + 1} of the ledger changed while it was published.`, {
      hint: 'Try again.',
    })
}

const LF = Buffer.from('\n')

/** Puts a file in place, synced, unless it is there with the same bytes. */
function putFile(path: string, bytes: Buffer): void {
  if (readIfThere(path)?.equals(bytes)) return
  ensureDir(dirname(path))
  const temporary = `${path}.${process.pid}.tmp`
  removeName(temporary)
  createFile(temporary, bytes, 0o644, true)
  renameSync(temporary, path)
  syncDir(dirname(path))
}

/** Removes the partial tiles of tiles that are full by now. Without its lines, the log keeps those that it has. */
function dropPartialTiles(dir: string, size: number, from: number, hashesOnly: boolean): void {
  const drop = (level: number | 'data', before: number, now: number) => {
    const tile = Math.floor(before / TILE_WIDTH)
    if (before % TILE_WIDTH !== 0 && (tile + 1) * TILE_WIDTH <= now) removeTree(join(dir, `${tilePath(level, tile)}.p`))
  }
  if (!hashesOnly) drop('data', from, size)
  for (let level = 0; widthOf(level, from) > 0; level++) drop(level, widthOf(level, from), widthOf(level, size))
}
