import { randomBytes } from 'node:crypto'
import { codeOf } from '../../overlay/index.js'
import type { Layout } from '../core/layout.js'
import { isDead, type ProcessIdentity, thisProcess } from '../os/process.js'
import type { Disk } from './disk.js'
import { type HeldTx, makeTx, removeTx } from './tx-dir.js'

/**
 * One attempt to commit under a number. The journal first notes its transaction directory (`attempts/<tx>.tx`, with the
 * process that owns it). A directory in the workspace without a note is ignored, and recovery removes only directories
 * of dead processes.
 */
export interface Attempt extends HeldTx {
  readonly seq: number
  readonly tx: string
  /** The name of its directory under `.orchestration/tx`. */
  readonly name: string
  /** The plan's file until it is published. */
  readonly planFile: string
}

/** The content of a note. */
interface TxNote {
  readonly name: string
  readonly owner: ProcessIdentity
}

/** The notes of this process's own attempts. */
const ownAttempts = new Set<string>()

const NOTE = '.tx'
const PLAN = '.plan'

export function beginAttempt(disk: Disk, layout: Layout, seq: number): Attempt {
  const tx = `${seq}-${randomBytes(4).toString('hex')}`
  // Random, so that nobody can have created the name before.
  const name = `${tx}-${randomBytes(12).toString('hex')}`
  const note = noteOf(layout, tx)
  ownAttempts.add(note)
  try {
    disk.createFile(note, JSON.stringify({ name, owner: thisProcess() } satisfies TxNote), 0o600, false)
    const held = makeTx(disk, layout, name)
    return { ...held, seq, tx, name, planFile: `${layout.attempts}/${tx}${PLAN}` }
  } catch (error) {
    ownAttempts.delete(note)
    discardAttempt(disk, layout, { tx, name })
    throw error
  }
}

/** Ends an attempt that was published or given up. From now on recovery may remove its files. */
export function endAttempt(disk: Disk, layout: Layout, { tx, planFile, close }: Attempt): void {
  ownAttempts.delete(noteOf(layout, tx))
  close()
  ignoringDiskErrors(() => disk.unlink(planFile))
}

/**
 * Removes the files of an attempt that was given up. Files that cannot be removed now are left to the next commit or
 * open.
 */
export function discardAttempt(disk: Disk, layout: Layout, { tx, name }: Pick<Attempt, 'tx' | 'name'>): void {
  ignoringDiskErrors(() => {
    removeTx(disk, layout, name)
    dropNote(disk, layout, tx)
  })
}

/** Removes a noted transaction: its directory, its unpublished plan, then the note. */
export function removeTransaction(disk: Disk, layout: Layout, tx: string): void {
  const name = readNote(disk, layout, tx)?.name
  if (name !== undefined) removeTx(disk, layout, name)
  disk.unlink(`${layout.attempts}/${tx}${PLAN}`)
  dropNote(disk, layout, tx)
}

/**
 * The transactions whose process died before the commit point.
 * @param published is called after the check for live processes, so that it includes the plans that a process published
 * before it died
 */
export function orphans(disk: Disk, layout: Layout, published: () => ReadonlySet<number>): string[] {
  const dead = notedTxs(disk, layout).filter((tx) => !isLiving(disk, layout, tx))
  const known = published()
  return dead.filter((tx) => !known.has(seqOf(tx)))
}

/** The transactions that the journal notes. */
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
  return owner.pid === self.pid && owner.start === self.start ? ownAttempts.has(noteOf(layout, tx)) : !isDead(owner)
}

/** A power cut may leave an empty note. The directory it would have named was never used. */
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

function ignoringDiskErrors(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
}
