import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { codeOf, isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import {
  chmodSync,
  cloneFile,
  ensurePrivateDir,
  makeDir,
  makeSymlink,
  removeEmptyDir,
  removeTree,
  replaceDurable,
  setTimes,
} from '../os/write.js'
import { layerStamp } from './layer.js'

/**
 * A copy of a client's directory, for machines that cannot mount a layer above it. Commands write to the copy, which is kept for later
 * ones. Before each command it is brought up to the person's directory: a file that commands changed stays as they left it, as in a layer.
 *
 * A command may have put links anywhere in the copy. No function here follows one.
 */

/** Largest size of a directory that is copied, in bytes, and its largest number of entries. */
const MAX_HOME_COPY = 2 ** 30
const MAX_HOME_ENTRIES = 100_000

export interface HomeCopy {
  /** The person's directory: absolute and physical. */
  readonly at: string
  /** The directory of the copy. */
  readonly copy: string
  /** The file that lists the copied files. */
  readonly list: string
}

/** The stamps of an entry when it was copied: that of the person's, and that of the copy. */
type Copied = readonly [theirs: string, ours: string]

interface List {
  readonly version: 1
  readonly entries: Readonly<Record<string, Copied>>
}

/**
 * Brings a copy up to the person's directory.
 * @param reset paths in the directory that become the person's again, whatever commands did to them
 * @throws EscrowError `unsupported` if the directory is too large.
 */
export function refreshHomeCopy(home: HomeCopy, reset: readonly string[]): void {
  ensurePrivateDir(home.copy)
  for (const path of reset) removeInside(home.copy, path)
  const before = readList(home.list)
  const isReset = (path: string) => reset.some((each) => path === each || path.startsWith(`${each}/`))
  const kept = new Map([...before].filter(([path]) => !isReset(path)))
  const now = new Refresh(home, kept).run()
  const list: List = { version: 1, entries: Object.fromEntries(now) }
  replaceDurable(home.list, JSON.stringify(list), 0o600)
}

/** Removes a path below a directory. A link or a file in the place of one of its parents is removed instead, and nothing behind it. */
export function removeInside(base: string, path: string): void {
  let at = base
  for (const name of path.split('/')) {
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (!stats?.isDirectory()) break
    // A command may have closed it.
    if ((stats.mode & 0o700) !== 0o700) chmodSync(at, 0o700)
    at = `${at}/${name}`
  }
  removeTree(at)
}

class Refresh {
  readonly #now = new Map<string, Copied>()
  #bytes = 0
  #entries = 0

  constructor(
    private readonly home: HomeCopy,
    private readonly before: ReadonlyMap<string, Copied>,
  ) {}

  run(): ReadonlyMap<string, Copied> {
    this.#below('')
    this.#removeGone()
    return this.#now
  }

  #below(dir: string): void {
    for (const name of readdirSync(join(this.home.at, dir))) {
      const path = dir === '' ? name : `${dir}/${name}`
      const theirs = lstatSync(join(this.home.at, path), { throwIfNoEntry: false })
      if (theirs !== undefined) this.#attempt(path, () => this.#bring(path, theirs))
    }
  }

  /** A file that this user may not read is not copied, and a directory that commands have closed stays as it is. */
  #attempt(path: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (codeOf(error) !== 'EACCES') throw error
      this.#keep(path, this.before.get(path))
    }
  }

  #bring(path: string, theirs: Stats): void {
    this.#count(theirs)
    if (theirs.isDirectory()) this.#bringDirectory(path)
    else if (theirs.isFile() || theirs.isSymbolicLink()) this.#bringLeaf(path, theirs)
  }

  #bringDirectory(path: string): void {
    const to = join(this.home.copy, path)
    const ours = lstatSync(to, { throwIfNoEntry: false })
    const copied = this.before.get(path)
    const isRemoved = ours === undefined && copied !== undefined
    if (isRemoved || ours?.isDirectory() === false) this.#keep(path, copied)
    else {
      if (ours === undefined) makeDir(to, 0o700)
      this.#now.set(path, ['directory', 'directory'])
      this.#below(path)
    }
  }

  #bringLeaf(path: string, theirs: Stats): void {
    const to = join(this.home.copy, path)
    const ours = lstatSync(to, { throwIfNoEntry: false })
    const copied = this.before.get(path)
    const stamp = layerStamp(theirs)
    const isOurs = ours !== undefined && copied?.[1] !== layerStamp(ours) && !isSameFile(theirs, ours)
    const isRemoved = ours === undefined && copied !== undefined
    if (copied?.[0] === stamp || isOurs || isRemoved) this.#keep(path, copied)
    else {
      removeTree(to)
      this.#copy(path, theirs)
      this.#now.set(path, [stamp, layerStamp(lstatSync(to))])
    }
  }

  #keep(path: string, copied: Copied | undefined): void {
    if (copied !== undefined) this.#now.set(path, copied)
  }

  #copy(path: string, theirs: Stats): void {
    const [from, to] = [join(this.home.at, path), join(this.home.copy, path)]
    if (theirs.isSymbolicLink()) makeSymlink(this.#targetOf(from), to)
    else {
      cloneFile(from, to)
      chmodSync(to, theirs.mode & 0o777)
      setTimes(to, theirs.atimeMs / 1000, theirs.mtimeMs / 1000)
    }
  }

  /** A relative target that leads out of the directory becomes absolute: the copy is elsewhere. */
  #targetOf(from: string): string {
    const target = readlinkSync(from)
    const full = resolve(dirname(from), target)
    return isAbsolute(target) || isWithin(full, this.home.at) ? target : full
  }

  /** Removes files that the person has removed, unless commands have changed them. */
  #removeGone(): void {
    const gone = [...this.before].filter(([path]) => !this.#now.has(path) && !existsIn(this.home.at, path))
    for (const [path, copied] of gone.sort(([a], [b]) => (a < b ? 1 : -1)))
      this.#attempt(path, () => this.#remove(path, copied))
  }

  #remove(path: string, [, ours]: Copied): void {
    const to = join(this.home.copy, path)
    if (!isInside(this.home.copy, path)) return
    if (ours === 'directory') removeEmptyDir(to)
    else if (layerStamp(lstatSync(to)) === ours) removeTree(to)
  }

  #count({ size }: Stats): void {
    this.#bytes += size
    this.#entries++
    if (this.#bytes <= MAX_HOME_COPY && this.#entries <= MAX_HOME_ENTRIES) return
    throw new EscrowError(
      'unsupported',
      `${this.home.at} is too large to copy: the limit is ${MAX_HOME_COPY / 2 ** 30} GiB and ${MAX_HOME_ENTRIES} files.`,
      { hint: "Move old sessions out of it. Or let the machine mount overlayfs in a namespace: see 'escrow doctor'." },
    )
  }
}

/**
 * Whether a file in the copy is a copy of the person's file. It is needed if a crash came before the list was written.
 * Copied times are rounded.
 */
function isSameFile(theirs: Stats, ours: Stats): boolean {
  return theirs.isFile() && ours.isFile() && theirs.size === ours.size && Math.abs(theirs.mtimeMs - ours.mtimeMs) < 1
}

/** Whether a path exists below a directory, without a link on the way. */
function isInside(base: string, path: string): boolean {
  const parents = path.split('/').slice(0, -1)
  const isReached = parents.every((_, at) => isDirectory(join(base, ...parents.slice(0, at + 1))))
  return isReached && existsIn(base, path)
}

function existsIn(base: string, path: string): boolean {
  try {
    return lstatSync(join(base, path), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return false
    throw error
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The list of an earlier refresh; empty if there is none, or if its format is unknown. */
function readList(file: string): ReadonlyMap<string, Copied> {
  try {
    const list: List = JSON.parse(readFileSync(file, 'utf8'))
    return new Map(list.version === 1 ? Object.entries(list.entries) : [])
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return new Map()
    throw error
  }
}
