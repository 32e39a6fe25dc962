import { randomBytes } from 'node:crypto'
import { codeOf } from '../../overlay/errno.js'
import type { Layout } from '../core/layout.js'
import { isDead, type ProcessIdentity, thisProcess } from '../host/process.js'
import type { Disk } from './disk.js'

/**
 * One try at a number. Its transaction's directory is its own, and says whose beside it (`tx/<tx>.owner`, there first): a
 * recovery that got into a broken lock clears the dead's leftovers away, never what a living process is about to publish.
 */
export interface Attempt {
  readonly seq: number
  readonly tx: string
  readonly dir: string
}

/** Those of this process. */
const living = new Set<string>()

const OWNER = '.owner'

export function beginAttempt(disk: Disk, { tx: parent }: Layout, seq: number): Attempt {
  const tx = `${seq}-${randomBytes(4).toString('hex')}`
  const dir = `${parent}/${tx}`
  living.add(dir)
  try {
    disk.createFile(`${dir}${OWNER}`, JSON.stringify(thisProcess()), 0o600, false)
    disk.makeDir(dir, 0o700)
  } catch (error) {
    endAttempt(disk, { dir })
    throw error
  }
  return { seq, tx, dir }
}

/** The attempt is published, or given up: whoever comes next may judge it by what it left. */
export function endAttempt(disk: Disk, { dir }: Pick<Attempt, 'dir'>): void {
  living.delete(dir)
  try {
    disk.unlink(`${dir}${OWNER}`)
  } catch (error) {
    // It says nothing any more.
    if (codeOf(error) === undefined) throw error
  }
}

/**
 * Names under `tx/` of attempts that died before the commit point, and of owners of none.
 * @param published is asked once it is seen who lives: what was published before its owner went is not taken for dead.
 */
export function strays(disk: Disk, layout: Layout, published: () => ReadonlySet<number>): string[] {
  const dead = disk.readdir(layout.tx).filter((name) => !isLiving(disk, `${layout.tx}/${txOf(name)}`))
  const known = published()
  return dead.filter((name) => name.endsWith(OWNER) || !known.has(seqOf(name)))
}

function txOf(name: string): string {
  return name.endsWith(OWNER) ? name.slice(0, -OWNER.length) : name
}

/** The number in a transaction's name. */
export function seqOf(tx: string): number {
  return Number(/^(\d+)-/.exec(tx)?.[1] ?? Number.NaN)
}

function isLiving(disk: Disk, dir: string): boolean {
  const owner = readOwner(disk, `${dir}${OWNER}`)
  if (owner === undefined) return false
  const self = thisProcess()
  return owner.pid === self.pid && owner.start === self.start ? living.has(dir) : !isDead(owner)
}

function readOwner(disk: Disk, file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(disk.readFile(file).toString('utf8')) as ProcessIdentity
  } catch {
    return undefined
  }
}
