import { randomBytes } from 'node:crypto'
import { codeOf } from '../../overlay/index.js'
import type { Layout } from '../core/layout.js'
import { isDead, type ProcessIdentity, thisProcess } from '../host/process.js'
import type { Disk } from './disk.js'
import { type HeldTx, makeTx, removeTx } from './tx-dir.js'

/**
 * One try at a number. The journal notes its transaction directory first (`attempts/<tx>.tx`, with the process that owns
 * it): a directory in the workspace that no note names means nothing, and a recovery removes only what dead processes left.
 */
export interface Attempt extends HeldTx {
  readonly seq: number
  readonly tx: string
  /** The name of its directory under `.orchestration/tx`. */
  readonly name: string
  /** The file its plan is written to before it is published. */
  readonly planFile: string
}

/** What a note says. */
interface TxNote {
  readonly name: string
  readonly owner: ProcessIdentity
}

/** Those of this process. */
const living = new Set<string>()

const NOTE = '.tx'
const PLAN = '.plan'

export function beginAttempt(disk: Disk, layout: Layout, seq: number): Attempt {
  const tx = `${seq}-${randomBytes(4).toString('hex')}`
  // Nobody can have put something under the name before.
  const name = `${tx}-${randomBytes(12).toString('hex')}`
  const note = noteOf(layout, tx)
  living.add(note)
  try {
    disk.createFile(note, JSON.stringify({ name, owner: thisProcess() } satisfies TxNote), 0o600, false)
    const held = makeTx(disk, layout, name)
    return { ...held, seq, tx, name, planFile: `${layout.attempts}/${tx}${PLAN}` }
  } catch (error) {
    living.delete(note)
    discardAttempt(disk, layout, { tx, name })
    throw error
  }
}

/** The attempt is published, or given up: whoever comes next may judge it by what it left. */
export function endAttempt(disk: Disk, layout: Layout, { tx, planFile, close }: Attempt): void {
  living.delete(noteOf(layout, tx))
  close()
  quietly(() => disk.unlink(planFile))
}

/** Clears up an attempt that was given up; what cannot be removed now, the next commit or open removes. */
export function discardAttempt(disk: Disk, layout: Layout, { tx, name }: Pick<Attempt, 'tx' | 'name'>): void {
  quietly(() => {
    removeTx(disk, layout, name)
    dropNote(disk, layout, tx)
  })
}

/** Removes a transaction that the journal notes: its directory, its plan if that was not published, then the note. */
export function removeNoted(disk: Disk, layout: Layout, tx: string): void {
  const name = readNote(disk, layout, tx)?.name
  if (name !== undefined) removeTx(disk, layout, name)
  disk.unlink(`${layout.attempts}/${tx}${PLAN}`)
  dropNote(disk, layout, tx)
}

/**
 * Transactions of attempts that died before the commit point.
 * @param published is asked once it is seen who lives: what was published before its owner went is not taken for dead.
 */
export function orphans(disk: Disk, layout: Layout, published: () => ReadonlySet<number>): string[] {
  const dead = notedTxs(disk, layout).filter((tx) => !isLiving(disk, layout, tx))
  const known = published()
  return dead.filter((tx) => !known.has(seqOf(tx)))
}

/** The transactions whose directories are noted. */
export function notedTxs(disk: Disk, layout: Layout): string[] {
  return disk.readdir(layout.attempts).flatMap((name) => (name.endsWith(NOTE) ? [name.slice(0, -NOTE.length)] : []))
}

/** The number in a transaction's name. */
export function seqOf(tx: string): number {
  return Number(/^(\d+)-/.exec(tx)?.[1] ?? Number.NaN)
}

function isLiving(disk: Disk, layout: Layout, tx: string): boolean {
  const owner = readNote(disk, layout, tx)?.owner
  if (owner === undefined) return false
  const self = thisProcess()
  return owner.pid === self.pid && owner.start === self.start ? living.has(noteOf(layout, tx)) : !isDead(owner)
}

/** A power cut may leave a note without its words: the directory it would have named was never used. */
function readNote(disk: Disk, layout: Layout, tx: string): TxNote | undefined {
  try {
    const note: unknown = JSON.parse(disk.readFile(noteOf(layout, tx)).toString('utf8'))
    return isNote(note) ? note : undefined
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function isNote(value: unknown): value is TxNote {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('owner' in value)) return false
  return typeof value.name === 'string' && /^[\w-]+$/.test(value.name) && typeof value.owner === 'object'
}

function dropNote(disk: Disk, layout: Layout, tx: string): void {
  disk.unlink(noteOf(layout, tx))
}

function noteOf({ attempts }: Layout, tx: string): string {
  return `${attempts}/${tx}${NOTE}`
}

function quietly(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
}
